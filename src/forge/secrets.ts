import { type Redact, redactorFor } from '../git/redact.ts';

// The app's own signed word to GitHub, good for ten minutes; no registry could keep up with it.
const JSON_WEB_TOKEN = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** The secrets that are alive right now, to be taken out of every text we write. */
export interface Secrets {
  readonly add: (secret: string) => void;
  readonly forget: (secret: string) => void;
  readonly redact: Redact;
}

export function createSecrets(lasting: readonly string[]): Secrets {
  const alive = new Set(lasting);
  let redactor: Redact | undefined;
  return {
    add: secret => {
      alive.add(secret);
      redactor = undefined;
    },
    forget: secret => {
      alive.delete(secret);
      redactor = undefined;
    },
    redact: text => {
      redactor ??= redactorFor([...alive]);
      return redactor(text).replace(JSON_WEB_TOKEN, '***');
    },
  };
}
