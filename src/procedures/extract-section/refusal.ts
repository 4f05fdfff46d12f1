/**
 * Why nothing was done, word for word. The first eleven are the seed's; the others extend it where it names no
 * reason. Programs compare these strings: they never change.
 */
export type Reason =
  | 'incomplete args'
  | 'section not found'
  | 'section heading not unique'
  | 'Start after anchor not found'
  | 'Start after anchor not unique'
  | 'End before anchor not found'
  | 'End before anchor not unique'
  | 'inline-keep phrase inside extraction range'
  | 'reference file already exists'
  | 'verdict parse failure'
  | 'byte mismatch'
  | 'target file not found'
  | 'target outside repository'
  | 'target file too large'
  | 'target not utf-8 text'
  | 'target inside a bundle copy'
  | 'anchor is not a single line'
  | 'purpose is not a single line'
  | 'purpose is not plain text'
  | 'section is not a heading'
  | 'empty extraction range'
  | 'start anchor outside section'
  | 'end anchor outside section'
  | 'range splits a fenced block'
  | 'range splits an HTML comment'
  | 'range splits an HTML block'
  | 'range splits a details element'
  | 'range splits a heading'
  | 'range changes the structure around it'
  | 'inline-keep phrase not found'
  | 'reference path outside skill root'
  | 'reference file not markdown'
  | 'bundle copy dir outside repository'
  | 'path not allowed'
  | 'concurrent change';

/** The expected end of a request that can not be carried out. `detail` names the value and what to try. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: Reason;
  readonly detail: string;
}

/** Makes a refusal. */
export function refuse(reason: Reason, detail: string): Refusal {
  return { kind: 'refused', reason, detail };
}

/** A step's result: what it found, or why the run ends here. */
export type Step<Value> = { readonly kind: 'ok'; readonly value: Value } | Refusal;

/** Makes the result of a step that went well. */
export function ok<Value>(value: Value): Step<Value> {
  return { kind: 'ok', value };
}
