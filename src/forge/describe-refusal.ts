import type { Redact } from '../git/redact.ts';
import { ForgeFault } from './forge-fault.ts';
import type { Refusal } from './refusal.ts';

/** Who asked, so that the message can name the page to open. */
export interface Asker {
  readonly redact: Redact;
  /** `https://github.com`, or the host of a GitHub Enterprise Server. */
  readonly webUrl: string;
  readonly installationId?: number;
  readonly owner?: { readonly login: string; readonly isOrganisation: boolean };
}

/** A refusal as the fault the port promises. The message says what happened, why, and what to do. */
export function faultOf(refusal: Refusal, asker: Asker): ForgeFault {
  const { status, requestId } = refusal;
  const details = { status, ...(requestId === undefined ? {} : { requestId }) };
  const say = (text: string): string => asker.redact(text);
  const said = `${refusal.where}: ${refusal.words}`;
  switch (refusal.kind) {
    case 'moved':
    case 'missing':
    case 'suspended':
      return goneFault(say(`GitHub has nothing there for us (${said}).`), details);
    case 'unauthorised':
      return new ForgeFault(
        'forge-unauthorised',
        say(
          `GitHub does not accept who we say we are (${said}). Check the app id and the private key: ${asker.webUrl}/settings/apps`,
        ),
        details,
      );
    case 'forbidden':
      return new ForgeFault(
        'forge-forbidden',
        say(`GitHub refused (${said}). ${adviceOn(refusal, asker)}`),
        details,
      );
    case 'invalid':
      return new ForgeFault('forge-invalid', say(`GitHub found the request wrong (${said}).`), details);
    case 'limited':
      return new ForgeFault(
        'forge-rate-limited',
        say(
          `GitHub limits our rate for another ${Math.ceil(refusal.waitMs / 1000)} s (${said}). Try again after that.`,
        ),
        { ...details, retry: 'later', retryAfterMs: refusal.waitMs },
      );
    case 'unavailable':
      return unavailable(refusal, say, details);
  }
}

export function goneFault(message: string, details: { readonly status?: number | null } = {}): ForgeFault {
  return new ForgeFault('forge-gone', message, details);
}

function unavailable(
  refusal: Refusal & { kind: 'unavailable' },
  say: Redact,
  details: { readonly status: number | null },
): ForgeFault {
  const { where, words, status, mayBeDone: outcomeUnknown } = refusal;
  const how = status === null ? 'could not be reached' : `is not well (${status})`;
  const advice = outcomeUnknown
    ? 'It may have been done all the same: look before you do it again.'
    : 'Try again later; https://www.githubstatus.com tells how GitHub is.';
  return new ForgeFault('forge-unavailable', say(`GitHub ${how}: ${where}: ${words}. ${advice}`), {
    ...details,
    retry: 'later',
    outcomeUnknown,
  });
}

function adviceOn(refusal: Refusal & { kind: 'forbidden' }, asker: Asker): string {
  const { words, accepted } = refusal;
  if (/archived/i.test(words)) return 'Unarchive the repository first.';
  if (/locked/i.test(words)) return 'Unlock the conversation first.';
  const page = `Open ${installationPage(asker)}`;
  if (accepted === undefined || accepted === '') return `${page} and check what the app may do.`;
  return `The installation needs the permission ${readablePermissions(accepted)}. ${page} and accept it.`;
}

/** `issues=write; pull_requests=write` is one of two; a comma joins what is needed together. */
function readablePermissions(accepted: string): string {
  const options = accepted.split(';').map(each =>
    each
      .trim()
      .replaceAll('=', ': ')
      .replace(/\s*,\s*/g, ' and '),
  );
  return options.join(' or ');
}

function installationPage({ webUrl, installationId, owner }: Asker): string {
  const place = owner?.isOrganisation ? `/organizations/${owner.login}` : '';
  return `${webUrl}${place}/settings/installations${installationId === undefined ? '' : `/${installationId}`}`;
}
