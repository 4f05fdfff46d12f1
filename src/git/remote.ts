import { GitFault } from './git-fault.ts';

/** What a caller knows about the other side of a fetch or push. */
export interface RemoteOptions {
  /** `https://host/owner/name.git`, without credentials. */
  readonly url: string;
  /** An installation token; sent as the password of `x-access-token`, to the URL's own origin only. */
  readonly token?: string;
  /** The one configured origin (`http://127.0.0.1:8080`) that may be spoken to in clear text, on loopback. */
  readonly loopbackHttpOrigin?: string;
  /** Accept an absolute path of this machine. For demos and tests: hooks of that repository would run. */
  readonly allowLocalPath?: boolean;
}

/** A checked remote: what the runner accepts. The token hides in a function so that no dump shows it. */
export interface Remote {
  readonly url: string;
  readonly protocol: 'https' | 'http' | 'file';
  /** Scheme, host and port the token may go to; undefined for a local path. */
  readonly origin: string | undefined;
  readonly token: () => string | undefined;
  readonly __brand: 'Remote';
}

export type RemoteResult =
  | { readonly kind: 'ok'; readonly remote: Remote }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Reads the address of a remote repository, as configuration or a document gives it. Only https goes through;
 * http for exactly the configured origin on loopback; a local path only where the caller allows it. Everything
 * that git could read as an option, a transport helper (`ext::`), ssh or a URL with credentials is `refused`
 * with a sentence that says why.
 */
export function parseRemote(options: RemoteOptions): RemoteResult {
  const { url: text } = options;
  if (text === '' || /[\u0000-\u0020\u007f\\]/u.test(text)) {
    return refused('it is empty or holds blanks, control characters or backslashes');
  }
  if (text.startsWith('-')) return refused('it starts with `-`');
  if (options.token !== undefined && !/^[\x21-\x7e]+$/.test(options.token)) {
    return refused('its token is empty or holds characters that no token has');
  }
  if (text.startsWith('/')) return localPath(options);
  if (!/^https?:\/\//i.test(text)) return refused('it is not an https:// address');
  if (!URL.canParse(text)) return refused('it is not a well-formed address');
  return webAddress(new URL(text), options);
}

/** `parseRemote` for addresses the program's own configuration gave; throws `git-remote-refused`. */
export function remoteOf(options: RemoteOptions): Remote {
  const result = parseRemote(options);
  if (result.kind === 'ok') return result.remote;
  throw new GitFault(
    'git-remote-refused',
    `The address of a repository was refused: ${result.why}. Give it as https://host/owner/name.git.`,
  );
}

function webAddress(url: URL, options: RemoteOptions): RemoteResult {
  if (url.username !== '' || url.password !== '') return refused('it holds credentials');
  if (url.search !== '' || url.hash !== '') return refused('it holds a query or a fragment');
  if (url.pathname === '/' || url.pathname === '') return refused('it names a host but no repository');
  if (url.protocol === 'http:') {
    if (!isLoopback(url.hostname)) return refused('it is http, which is accepted on loopback only');
    if (url.origin !== originOf(options.loopbackHttpOrigin)) {
      return refused('it is http and not the loopback origin that was configured');
    }
  }
  // The normalised form goes to git: two parsers must not disagree about the host.
  return ok(url.href, url.protocol === 'http:' ? 'http' : 'https', url.origin, options.token);
}

function localPath(options: RemoteOptions): RemoteResult {
  if (options.allowLocalPath !== true) return refused('it is a path of this machine');
  return ok(options.url, 'file', undefined, undefined);
}

function originOf(text: string | undefined): string | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text).origin : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function ok(
  url: string,
  protocol: Remote['protocol'],
  origin: string | undefined,
  token: string | undefined,
): RemoteResult {
  return { kind: 'ok', remote: { url, protocol, origin, token: () => token } as Remote };
}

function refused(why: string): RemoteResult {
  return { kind: 'refused', why };
}
