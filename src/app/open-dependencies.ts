import type { Logger } from 'pino';
import { createOctokitForge } from '../forge/open-octokit-forge.ts';
import { remoteOf } from '../git/remote.ts';
import type { RunDependencies } from '../runs/run-dependencies.ts';
import type { Settings } from './read-environment.ts';

/** What runs need from outside, made from the settings. Nothing is asked of GitHub before it is needed. */
export function openDependencies(settings: Settings, log: Logger): RunDependencies {
  const github = createOctokitForge({
    appId: settings.appId,
    privateKey: settings.privateKey,
    apiUrl: settings.githubApiUrl,
    userAgent: 'skillkeeper',
  });
  const git = new URL(settings.githubUrl);
  const isLoopbackHttp = git.protocol === 'http:';
  return {
    openForge: github.openForge,
    remoteFor: (repository, token) =>
      remoteOf({
        url: repository.cloneUrl,
        token,
        ...(isLoopbackHttp ? { loopbackHttpOrigin: git.origin } : {}),
      }),
    dataDirectory: settings.dataDirectory,
    gitHost: git.host,
    now: () => Date.now(),
    committer: async () => {
      const [login, id] = await Promise.all([github.app.botLogin(), github.app.botId()]);
      return { name: login, email: `${id}+${login}@users.noreply.github.com` };
    },
    log: (level, message, facts) => log[level](facts ?? {}, message),
  };
}
