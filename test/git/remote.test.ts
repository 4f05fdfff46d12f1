import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseRemote, remoteOf } from '../../src/git/remote.ts';

const TOKEN = `ghs_${'a1B2'.repeat(12)}`;

describe('parseRemote', () => {
  it('takes an https address and gives git the normalised form', () => {
    const remote = remoteOf({ url: 'https://GitHub.com:443/acme/../acme/skills.git', token: TOKEN });
    expect(remote.url).toBe('https://github.com/acme/skills.git');
    expect(remote.origin).toBe('https://github.com');
  });

  it('keeps the token out of every dump of a remote', () => {
    const remote = remoteOf({ url: 'https://github.com/acme/skills.git', token: TOKEN });
    expect(remote.token()).toBe(TOKEN);
    expect(JSON.stringify(remote) + inspect(remote, { depth: 9, showHidden: true })).not.toContain(TOKEN);
  });

  it.each([
    '',
    '-oProxyCommand=touch /tmp/x',
    '--upload-pack=touch /tmp/x',
    'ext::sh -c touch% /tmp/x',
    'ext::sh',
    'fd::17',
    'ssh://git@github.com/acme/skills.git',
    'git@github.com:acme/skills.git',
    'git://github.com/acme/skills.git',
    'file:///etc',
    'ftp://github.com/acme',
    'https://user:secret@github.com/acme/skills.git',
    'https://user@github.com/acme/skills.git',
    'https://evil.example\\@github.com/acme/skills.git',
    'https://github.com/acme/skills.git?x=1',
    'https://github.com/acme/skills.git#x',
    'https://github.com',
    'https://github.com/acme/skills.git\n--upload-pack=x',
    'https://github.com/acme/ skills.git',
    'https://',
    'https::ext::sh',
    'http://github.com/acme/skills.git',
    'http://127.0.0.1:8080/acme/skills.git',
    '/srv/git/acme.git',
    './acme.git',
    'acme.git',
  ])('refuses %j', url => {
    expect(parseRemote({ url }).kind).toBe('refused');
    expect(() => remoteOf({ url })).toThrow(/was refused/);
  });

  it('takes http for exactly the configured loopback origin', () => {
    const loopbackHttpOrigin = 'http://127.0.0.1:8080';
    const kind = (url: string): string => parseRemote({ url, loopbackHttpOrigin }).kind;
    expect(kind('http://127.0.0.1:8080/acme.git')).toBe('ok');
    expect(kind('http://127.0.0.1:8081/acme.git')).toBe('refused');
    expect(kind('http://localhost:8080/acme.git')).toBe('refused');
    const wide = { url: 'http://example.com/acme.git', loopbackHttpOrigin: 'http://example.com' };
    expect(parseRemote(wide).kind).toBe('refused');
  });

  it('takes a path of this machine only where it is allowed, and never gives it the token', () => {
    const remote = remoteOf({ url: '/srv/acme.git', allowLocalPath: true, token: TOKEN });
    expect(remote.protocol).toBe('file');
    expect(remote.token()).toBeUndefined();
  });

  it('refuses a token that would break out of its header, without showing it', () => {
    const result = parseRemote({ url: 'https://github.com/acme.git', token: 'abc\r\nX-Evil: 1' });
    expect(result.kind).toBe('refused');
    expect(JSON.stringify(result)).not.toContain('X-Evil');
  });
});
