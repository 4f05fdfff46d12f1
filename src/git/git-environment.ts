import type { Remote } from './remote.ts';

/**
 * `sealed`: our own bare repositories; nothing outside the call decides anything. `checkout`: a user's own
 * working copy on the command line; their configuration stays readable (identity, line endings, trusted
 * folders), but hooks, monitors, prompts and the network stay off all the same.
 */
export type GitProfile = 'sealed' | 'checkout';

/** The variables a caller may add. Everything else about the environment is decided here. */
export type ExtraVariable =
  | 'GIT_INDEX_FILE'
  | 'GIT_WORK_TREE'
  | 'GIT_OBJECT_DIRECTORY'
  | 'GIT_ALTERNATE_OBJECT_DIRECTORIES'
  | 'GIT_AUTHOR_NAME'
  | 'GIT_AUTHOR_EMAIL'
  | 'GIT_AUTHOR_DATE'
  | 'GIT_COMMITTER_NAME'
  | 'GIT_COMMITTER_EMAIL'
  | 'GIT_COMMITTER_DATE';

export interface EnvironmentOptions {
  readonly profile: GitProfile;
  readonly gitDirectory?: string;
  readonly remote?: Remote;
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly extra?: Readonly<Partial<Record<ExtraVariable, string>>>;
}

type Variables = Record<string, string>;
type Setting = readonly [key: string, value: string];

/**
 * The whole environment of one git process, built from nothing: what the calling process happens to carry
 * (`GIT_DIR`, `GIT_TRACE`, an editor, a credential helper) never gets through. Configuration goes by
 * environment too, which beats every file and shows in no argument list.
 */
export function gitEnvironment(options: EnvironmentOptions, parent: NodeJS.ProcessEnv): Variables {
  return {
    ...pick(parent, ['PATH', 'TMPDIR']),
    ...(options.profile === 'sealed' ? SEALED_VARIABLES : pick(parent, CHECKOUT_VARIABLES)),
    ...COMMON_VARIABLES,
    // An allow-list in this variable beats `protocol.*.allow` in any configuration; `none` is no protocol's name.
    GIT_ALLOW_PROTOCOL: options.remote?.protocol ?? 'none',
    ...(options.remote?.protocol === 'https' ? pick(parent, NETWORK_VARIABLES) : {}),
    ...(options.gitDirectory === undefined ? {} : { GIT_DIR: options.gitDirectory }),
    ...options.extra,
    ...settingsAsVariables([
      ...(options.profile === 'sealed' ? SEALED_SETTINGS : []),
      ...COMMON_SETTINGS,
      ...(options.config ?? []),
      ...(options.remote === undefined ? [] : remoteSettings(options.remote)),
    ]),
  };
}

const COMMON_VARIABLES: Variables = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '', // empty also keeps git from looking at SSH_ASKPASS
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1', // a partial clone must not go to the network while it is read
  GIT_LITERAL_PATHSPECS: '1',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'false',
};

// With HOME unset curl would look the user up and read their ~/.netrc; /dev/null has no files below it.
const SEALED_VARIABLES: Variables = {
  HOME: '/dev/null',
  XDG_CONFIG_HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
};

const CHECKOUT_VARIABLES = [
  'HOME',
  'USER',
  'LOGNAME',
  'XDG_CONFIG_HOME',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
];

// An operator's proxy and certificates; nothing a repository could set.
const NETWORK_VARIABLES = [
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];

const COMMON_SETTINGS: readonly Setting[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['protocol.ext.allow', 'never'],
  ['transfer.bundleURI', 'false'],
  ['core.protectNTFS', 'true'],
  ['core.protectHFS', 'true'],
];

// What `transfer.fsckObjects` would refuse although it only says that an old tool wrote a commit carelessly:
// names, dates and modes of that kind stand in the history of well-known repositories and harm nobody.
// Everything that can harm (`.git` in a tree, `.gitmodules` tricks, unsorted or doubled entries) stays refused.
const HARMLESS_FSCK = [
  'zeroPaddedFilemode',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingNameBeforeEmail',
  'missingEmail',
  'badEmail',
  'badName',
  'badDate',
  'badDateOverflow',
  'badTimezone',
  'zeroPaddedDate',
  'multipleAuthors',
  'nullSha1',
];

const SEALED_SETTINGS: readonly Setting[] = [
  ['core.symlinks', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['init.templateDir', ''],
  ['transfer.fsckObjects', 'true'],
  ...HARMLESS_FSCK.map(id => [`fetch.fsck.${id}`, 'ignore'] as const),
];

function remoteSettings(remote: Remote): Setting[] {
  const token = remote.token();
  const settings: Setting[] = [
    ['http.followRedirects', 'false'], // a redirect could carry the header elsewhere
    ['http.lowSpeedLimit', '1000'], // bytes per second: a dead connection ends by itself
    ['http.lowSpeedTime', '60'],
  ];
  if (token !== undefined && remote.origin !== undefined) {
    const password = Buffer.from(`x-access-token:${token}`).toString('base64');
    settings.push([`http.${remote.origin}/.extraHeader`, `Authorization: Basic ${password}`]);
  }
  return settings;
}

function settingsAsVariables(settings: readonly Setting[]): Variables {
  const variables: Variables = { GIT_CONFIG_COUNT: String(settings.length) };
  settings.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return variables;
}

function pick(from: NodeJS.ProcessEnv, names: readonly string[]): Variables {
  return Object.fromEntries(names.flatMap(name => (from[name] === undefined ? [] : [[name, from[name]]])));
}
