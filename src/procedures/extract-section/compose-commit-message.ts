import type { Verdict } from './verdict.ts';

const SUBJECT_CHARACTERS = 72;

/** The message of the one commit that holds a move: what moved where, and how much of it. */
export function composeCommitMessage(verdict: Verdict): string {
  const title = disarm(verdict.section.replace(/^[ \t]*#{1,6}[ \t]+/u, '').trim());
  const [target, reference] = [disarm(verdict.target_file), disarm(verdict.reference_file)];
  const subject = `docs: extract "${title}" to ${reference}`;
  const characters = [...subject];
  const short =
    characters.length <= SUBJECT_CHARACTERS
      ? subject
      : `${characters.slice(0, SUBJECT_CHARACTERS - 1).join('')}\u2026`;
  return `${short}

Moved the body of "${title}" from ${target} to
${reference}, byte for byte
(${verdict.extracted_chars} characters, ${verdict.extracted_bytes} bytes).
`;
}

// GitHub acts on commit messages: a heading like "Fixes #12, thanks @all" must close and call nothing.
function disarm(text: string): string {
  return text.replace(/[@#](?=[\w-])/gu, '$&\u200b').replace(/\b(GH)-(?=\d)/giu, '$1\u200b-');
}
