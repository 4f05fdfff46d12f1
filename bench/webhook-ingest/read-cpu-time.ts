import { readFileSync } from 'node:fs';

/** Milliseconds of processor time a process has used so far, in ticks of ten. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export function readCpuTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
