import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { GitFault } from '../../src/git/git-fault.ts';
import { remoteOf } from '../../src/git/remote.ts';
import { type GitCall, runGit } from '../../src/git/run-git.ts';
import { makeRepository } from '../twin/make-repository.ts';
import { isRunning } from './processes.ts';
import { scratchFolder } from './scratch.ts';

const root = scratchFolder();
const bare = makeRepository(join(root, 'bare.git'), [
  { files: { 'a.txt': 'a\n', big: Buffer.alloc(300_000, 'x') } },
]);
const other = makeRepository(join(root, 'other.git'), [{ files: { 'b.txt': 'b\n' } }]);

const inBare = (args: readonly string[], more: Partial<GitCall> = {}) =>
  runGit({ directory: bare.directory, gitDirectory: bare.gitDirectory, args, ...more });
const faultOf = async (call: Promise<unknown>): Promise<GitFault> => {
  const fault = await call.then(
    () => undefined,
    cause => cause,
  );
  expect(fault).toBeInstanceOf(GitFault);
  return fault;
};

afterEach(() => vi.unstubAllEnvs());

describe('runGit', () => {
  it('gives what git wrote', async () => {
    const { stdout, exitCode } = await inBare(['rev-parse', 'main']);
    expect(stdout.toString()).toBe(`${bare.commits[0]}\n`);
    expect(exitCode).toBe(0);
  });

  it('hands input over byte for byte', async () => {
    const input = Buffer.from([0, 255, 10, 13, 10, 0]);
    const { stdout } = await inBare(['hash-object', '--stdin'], { input });
    const oracle = execFileSync('git', ['hash-object', '--stdin'], { input });
    expect(stdout).toEqual(oracle);
  });

  it('faults with the exit code, the arguments and what git said', async () => {
    const fault = await faultOf(inBare(['rev-parse', '--verify', 'refs/heads/none']));
    expect(fault).toMatchObject({
      code: 'git-failed',
      exitCode: 128,
      args: ['rev-parse', '--verify', 'refs/heads/none'],
    });
    expect(fault.message).toContain('fatal: Needed a single revision');
  });

  it('takes another exit code for an answer where the caller says so', async () => {
    const { exitCode } = await inBare(['show-ref', '--verify', '--quiet', 'refs/heads/none'], {
      exitCodes: [0, 1],
    });
    expect(exitCode).toBe(1);
  });

  it('ignores repositories, indexes and traces in the environment of the caller', async () => {
    const trace = join(root, 'trace.log');
    vi.stubEnv('GIT_DIR', other.gitDirectory);
    vi.stubEnv('GIT_WORK_TREE', root);
    vi.stubEnv('GIT_INDEX_FILE', join(root, 'index'));
    vi.stubEnv('GIT_OBJECT_DIRECTORY', join(other.gitDirectory, 'objects'));
    vi.stubEnv('GIT_CONFIG_PARAMETERS', "'core.bare=false'");
    vi.stubEnv('GIT_TRACE', trace);
    const sealed = await inBare(['rev-parse', 'main']);
    const found = await runGit({
      directory: bare.directory,
      args: ['rev-parse', 'main'],
      profile: 'checkout',
    });
    expect(sealed.stdout.toString().trim()).toBe(bare.commits[0]);
    expect(found.stdout.toString().trim()).toBe(bare.commits[0]);
    expect(existsSync(trace)).toBe(false);
  });

  it('reads no configuration of the machine or the user', async () => {
    const home = join(root, 'home');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Somebody\n');
    vi.stubEnv('HOME', home);
    vi.stubEnv('GIT_CONFIG_GLOBAL', join(home, '.gitconfig'));
    const scopes = (await inBare(['config', '--list', '--show-scope'])).stdout.toString();
    expect(scopes).not.toMatch(/^(?:system|global)\t/m);
    const checkout = await inBare(['config', 'user.name'], { profile: 'checkout' });
    expect(checkout.stdout.toString()).toBe('Somebody\n');
  });

  it('runs no hook of the repository', async () => {
    const mark = join(root, 'hook-ran');
    const repository = makeRepository(join(root, 'hooked'), [{ files: { a: '1' } }], { workTree: true });
    mkdirSync(join(repository.gitDirectory, 'hooks'), { recursive: true });
    const hook = join(repository.gitDirectory, 'hooks', 'reference-transaction');
    writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(hook, 0o755);
    repository.git('update-ref', 'refs/heads/control', 'main');
    expect(existsSync(mark)).toBe(true); // plain git does run it
    rmSync(mark);
    for (const profile of ['sealed', 'checkout'] as const) {
      await runGit({
        directory: repository.directory,
        args: ['update-ref', `refs/heads/${profile}`, 'main'],
        profile,
      });
    }
    expect(existsSync(mark)).toBe(false);
  });

  it('starts no file monitor a checkout names', async () => {
    const mark = join(root, 'monitor-ran');
    const repository = makeRepository(join(root, 'monitored'), [{ files: { a: '1' } }], { workTree: true });
    const monitor = join(root, 'monitor.sh');
    writeFileSync(monitor, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(monitor, 0o755);
    repository.git('config', 'core.fsmonitor', monitor);
    repository.git('status');
    expect(existsSync(mark)).toBe(true);
    rmSync(mark);
    await runGit({ directory: repository.directory, args: ['status', '--porcelain'], profile: 'checkout' });
    expect(existsSync(mark)).toBe(false);
  });

  it('opens no protocol without a remote', async () => {
    for (const url of [
      other.directory,
      'https://127.0.0.1:1/x',
      `ext::sh -c "touch ${join(root, 'pwned')}"`,
    ]) {
      const fault = await faultOf(inBare(['-c', 'protocol.allow=always', 'ls-remote', url]));
      expect(fault.stderr).toMatch(/transport '\w+' not allowed/);
    }
    expect(existsSync(join(root, 'pwned'))).toBe(false);
  });

  it('opens only the protocol of its remote', async () => {
    const remote = remoteOf({ url: 'https://127.0.0.1:1/x.git' });
    const fault = await faultOf(inBare(['ls-remote', other.directory], { remote }));
    expect(fault.stderr).toContain("transport 'file' not allowed");
  });

  it('ends git and what it started at the timeout', async () => {
    const nap = '301.125';
    const call = inBare(['-c', `alias.nap=!sleep ${nap}`, 'nap'], { timeoutMs: 150 });
    await vi.waitFor(() => expect(isRunning(nap)).toBe(true), { interval: 5 });
    expect(await faultOf(call)).toMatchObject({ code: 'git-timed-out', retry: 'later' });
    expect(isRunning(nap)).toBe(false);
  });

  it('kills what does not listen to the first signal', async () => {
    const nap = '302.125';
    const call = inBare(['-c', `alias.nap=!trap "" TERM; sleep ${nap}`, 'nap'], { timeoutMs: 100 });
    expect(await faultOf(call)).toMatchObject({ code: 'git-timed-out' });
    await vi.waitFor(() => expect(isRunning(nap)).toBe(false));
  });

  it('ends git when the work is cancelled, before or while it runs', async () => {
    const cancel = new AbortController();
    const call = inBare(['-c', 'alias.nap=!sleep 303.125', 'nap'], { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    expect(await faultOf(call)).toMatchObject({ code: 'git-aborted' });
    expect(isRunning('303.125')).toBe(false);
    expect(await faultOf(inBare(['version'], { signal: cancel.signal }))).toMatchObject({
      code: 'git-aborted',
    });
  });

  it('ends git when it writes more than is wanted', async () => {
    const fault = await faultOf(inBare(['cat-file', 'blob', 'main:big'], { maxBytes: 1000 }));
    expect(fault.code).toBe('git-output-too-large');
    const exact = await inBare(['cat-file', 'blob', 'main:big'], { maxBytes: 300_000 });
    expect(exact.stdout.length).toBe(300_000);
  });

  it('keeps the end of a flood of messages', async () => {
    const flood = 'alias.flood=!i=0; while [ $i -lt 20000 ]; do echo line-$i >&2; i=$((i+1)); done; exit 3';
    const fault = await faultOf(inBare(['-c', flood, 'flood']));
    expect(fault.exitCode).toBe(3);
    expect(fault.stderr).toMatch(/line-19999$/);
    expect(fault.stderr.length).toBeLessThan(4100);
  });

  it('says what to do when git is not installed, and when the folder is missing', async () => {
    vi.stubEnv('PATH', join(root, 'nowhere'));
    expect((await faultOf(inBare(['version']))).message).toMatch(/not found on the PATH\. Install git/);
    vi.unstubAllEnvs();
    const fault = await faultOf(runGit({ directory: join(root, 'nowhere'), args: ['version'] }));
    expect(fault).toMatchObject({ code: 'git-failed' });
    expect(fault.message).toContain('does not exist');
  });
});
