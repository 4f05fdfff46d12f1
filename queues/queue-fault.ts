import { Fault, type Retry } from '../src/fault/fault.ts';

/** The stable codes of everything the queue can do wrong for us. */
export type QueueFaultCode =
  | 'queue-down'
  | 'queue-url-invalid'
  | 'queue-evicts'
  | 'queue-too-old'
  | 'queue-folder-in-use'
  | 'queue-folder-unusable'
  | 'job-invalid'
  | 'job-timed-out'
  | 'job-handed-back'
  | 'job-given-up';

/** A fault of the queue itself. No message holds a password. */
export class QueueFault extends Fault {
  declare readonly code: QueueFaultCode;

  constructor(code: QueueFaultCode, message: string, options: { cause?: unknown; retry?: Retry } = {}) {
    super(code, message, options);
    this.name = 'QueueFault';
  }
}

/** The queue did not take something in time, or cannot be reached. Answer 503, so that it is delivered again. */
export class QueueDownFault extends QueueFault {
  constructor(place: string, doing: string, cause?: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause ?? 'no answer');
    super(
      'queue-down',
      `The queue at ${place} did not ${doing}: ${why}. Nothing was lost; try again later.`,
      {
        retry: 'later',
        cause,
      },
    );
    this.name = 'QueueDownFault';
  }
}
