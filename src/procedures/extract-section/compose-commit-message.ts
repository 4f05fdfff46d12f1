import type { Verdict } from './verdict.ts';

const SUBJECT_CHARACTERS = 72;

/** The message of the one commit that holds a move: what moved where, and how much of it. */
export function composeCommitMessage(verdict: Verdict): string {
  const title = verdict.section.replace(/^[ \t]*#{1,6}[ \t]+/u, '').trim();
  const subject = `docs: extract "${title}" to ${verdict.reference_file}`;
  const characters = [...subject];
  const short =
    characters.length <= SUBJECT_CHARACTERS
      ? subject
      : `${characters.slice(0, SUBJECT_CHARACTERS - 1).join('')}\u2026`;
  return `${short}

Moved the body of "${title}" from ${verdict.target_file} to
${verdict.reference_file}, byte for byte
(${verdict.extracted_chars} characters, ${verdict.extracted_bytes} bytes).
`;
}
