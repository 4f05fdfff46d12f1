import { readdirSync, readFileSync } from 'node:fs';

interface RunningProcess {
  readonly pid: number;
  readonly commandLine: string;
  readonly environment: string;
}

/** All processes of this machine right now, with their arguments and what environment they were started in. */
export function processes(): RunningProcess[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const pid = Number(name);
      try {
        const [commandLine = '', environment = ''] = ['cmdline', 'environ'].map(file =>
          readFileSync(`/proc/${pid}/${file}`, 'latin1'),
        );
        return [{ pid, commandLine, environment }];
      } catch {
        return []; // it ended meanwhile, or is not ours to look at
      }
    });
}

/** True while a process holds this text in its arguments. The text must be one that only the test uses. */
export function isRunning(text: string): boolean {
  return processes().some(({ commandLine }) => commandLine.includes(text));
}
