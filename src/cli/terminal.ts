/** Where a command writes and what it may assume of the reader. */
export interface Terminal {
  readonly stdout: { readonly write: (text: string) => unknown };
  readonly stderr: { readonly write: (text: string) => unknown };
  /** Absolute; relative paths of the command line start here. */
  readonly directory: string;
  /** Somebody looks at standard output: colour, and no JSON they did not ask for. */
  readonly isTerminal: boolean;
  /** `NO_COLOR` is set (no-color.org). */
  readonly noColour: boolean;
}

/** 0 done; 1 done with findings or a failed verification; 2 refused or failed. */
export type ExitCode = 0 | 1 | 2;
