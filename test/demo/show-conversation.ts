import { execFileSync } from 'node:child_process';
import type { colourFor } from '../../src/cli/colour.ts';
import type { DemoPull, DemoStage } from './open-demo-stage.ts';

interface Screen {
  readonly say: (text: string) => void;
  readonly colour: ReturnType<typeof colourFor>;
}

/** Shows what stands on the forge now: reactions, comments, check, commit and diff. 0 when the command was done. */
export async function showConversation(
  { twin, repo }: DemoStage,
  pull: DemoPull,
  comment: { readonly id: number },
  { say, colour }: Screen,
): Promise<0 | 2> {
  const reactions = twin.reactions(comment.id).map(({ content }) => content);
  say(`Reactions on it: ${reactions.join(', ')}\n`);
  for (const { author, body, id } of twin.comments(repo, pull.number)) {
    if (id === comment.id) continue;
    say(colour.bold(`${author.login} wrote:\n`));
    say(`${body.replace(/^/gmu, '    ')}\n`);
  }
  const head = await twin.head(repo, pull.branch);
  for (const { name, conclusion, title } of twin.checkRuns(repo, head)) {
    say(`${colour.bold(`Check ${name}: ${conclusion}`)} (${title ?? ''})\n`);
  }
  if (!reactions.includes('rocket')) return 2;
  const [commit] = await twin.commits(repo, pull.branch);
  say(colour.bold('The commit, as git shows it on the forge:\n'));
  const args = [
    'show',
    '--stat',
    '--patch',
    `--color=${colour.isColorSupported ? 'always' : 'never'}`,
    commit?.id ?? head,
  ];
  say(execFileSync('git', ['-C', twin.pathOf(repo), ...args], { encoding: 'utf8', maxBuffer: 1 << 26 }));
  return 0;
}
