import { join } from 'node:path';
import { type FileSpec, makeRepository, type TestRepository } from '../../test/twin/make-repository.ts';
import { type GitServer, serveGit } from '../../test/twin/serve-git.ts';

export const BIG_SKILL = 'skills/big/SKILL.md';
export const TOKEN = `ghs_${'bench'.repeat(8)}`;

export interface Forge {
  readonly repository: TestRepository;
  readonly server: GitServer;
  readonly url: string;
  /** Opens a pull request: a new branch on `main` with one small commit. Gives its head. */
  readonly openPullRequest: (branch: string) => string;
}

/** A repository of `files` skill files behind `git http-backend`, packed as a host keeps it. */
export async function makeForge(root: string, files: number): Promise<Forge> {
  const repository = makeRepository(join(root, 'acme.git'), [{ files: skillFiles(files) }]);
  repository.git('repack', '-adq', '--write-bitmap-index');
  const server = await serveGit({ root, token: TOKEN });
  let opened = 0;
  const openPullRequest = (branch: string): string => {
    opened += 1;
    const change = { 'README.md': `Pull request ${opened}\n` };
    return (
      repository.commit({ branch, from: 'refs/heads/main', files: change, message: `open ${branch}` })[0] ??
      ''
    );
  };
  return { repository, server, url: server.urlOf('acme.git'), openPullRequest };
}

function skillFiles(files: number): Record<string, FileSpec> {
  const made: Record<string, FileSpec> = { [BIG_SKILL]: bigSkill(), 'README.md': 'Skills\n' };
  for (let index = 2; index < files; index += 1) {
    const folder = `skills/skill-${Math.floor(index / 20)}`;
    const path = index % 20 === 0 ? `${folder}/SKILL.md` : `${folder}/references/note-${index}.md`;
    made[path] = `# Note ${index}\n\n${lines(index, 8 + (index % 40))}`;
  }
  return made;
}

function bigSkill(): string {
  const front = '---\nname: big\ndescription: A skill that has grown.\n---\n# Big\n\n## Long\n\n';
  return `${front}${lines(1, 800)}\n## Next\n\ntext\n`;
}

/** Text that compresses about as prose does. */
function lines(seed: number, count: number): string {
  let state = seed;
  const word = (): string => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state.toString(36).slice(0, 2 + (state % 6));
  };
  return Array.from({ length: count }, () => `${Array.from({ length: 9 }, word).join(' ')}.\n`).join('');
}
