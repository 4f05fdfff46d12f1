import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRepository } from '../twin/make-repository.ts';
import { serveGit } from '../twin/serve-git.ts';
import { processes } from './processes.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const TOKEN = `ghs_${'s'.repeat(40)}`;
const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;
const noise = randomBytes(3_000_000);
const repository = makeRepository(join(root, 'acme.git'), [{ files: { noise, 'a.md': 'a\n' } }]);
const server = await serveGit({ root, token: TOKEN });
afterAll(() => server.close());

/** Plain git as anybody would use it, none of our own code. */
const git = async (...args: string[]): Promise<string> => {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
  return (await promisify(execFile)('git', [...identity, ...args], { env })).stdout;
};

describe('serveGit', () => {
  it('serves a clone and takes a push larger than one request body', async () => {
    const clone = join(root, 'clone');
    await git('-c', header, 'clone', '--quiet', server.urlOf('acme.git'), clone);
    writeFileSync(join(clone, 'more'), randomBytes(2_000_000)); // above http.postBuffer: sent in chunks
    await git('-C', clone, 'add', '--all');
    await git('-C', clone, 'commit', '--quiet', '-m', 'more');
    await git('-c', header, '-C', clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/more');
    expect(repository.git('rev-parse', 'more')).toBe((await git('-C', clone, 'rev-parse', 'HEAD')).trim());
    expect(repository.git('fsck', '--strict')).toBe('');
  });

  it('unpacks a request that git compressed', async () => {
    const many = Array.from({ length: 60 }, (_, index) => ({
      branch: `b${index}`,
      files: { f: `${index}` },
    }));
    const wide = makeRepository(join(root, 'wide.git'), many);
    const fresh = makeRepository(join(root, 'fresh.git'), []);
    const url = server.urlOf('wide.git');
    await git('-c', header, '-C', fresh.directory, 'fetch', '--quiet', url, 'refs/heads/*:refs/heads/*');
    expect(fresh.git('for-each-ref')).toBe(wide.git('for-each-ref'));
  });

  it('refuses a request without the token, and one for a repository that is not there', async () => {
    await expect(git('ls-remote', server.urlOf('acme.git'))).rejects.toThrow(/could not read Username/);
    await expect(git('-c', header, 'ls-remote', server.urlOf('none.git'))).rejects.toThrow(/not found/);
    expect(server.requests.filter(request => !request.authorized).length).toBeGreaterThan(0);
  });

  it('closes while somebody is in the middle of an answer, and leaves no process', async () => {
    const other = await serveGit({ root });
    repository.git('repack', '-adq');
    const pack = repository.git('rev-parse', '--git-path', 'objects/pack');
    const [name] = (await promisify(execFile)('ls', [join(repository.directory, pack)])).stdout
      .split('\n')
      .filter(file => file.endsWith('.pack'));
    const answer = new Promise<void>(resolve => {
      get(other.urlOf(`acme.git/objects/pack/${name}`), response => {
        response.on('error', () => {});
        response.once('readable', resolve); // and never reads on
      });
    });
    const serving = (): boolean =>
      processes().some(({ environment }) => environment.includes(`GIT_PROJECT_ROOT=${root}\0`));
    await answer;
    expect(serving()).toBe(true);
    await other.close();
    expect(serving()).toBe(false);
  });
});
