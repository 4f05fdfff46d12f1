import { Fault } from '../fault/fault.ts';

/** The file system refused a write that had been checked: no space, no rights, a disk that went away. */
export class WorkingDirectoryFault extends Fault {
  constructor(message: string, cause: unknown) {
    super('write-failed', message, { cause });
    this.name = 'WorkingDirectoryFault';
  }
}
