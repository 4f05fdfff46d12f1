/** Milliseconds by phase, in the order the phases ran. */
export type Phases = Map<string, number>;

/** Runs one phase and adds its time. */
export async function timed<T>(phases: Phases, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const value = await work();
  phases.set(name, (phases.get(name) ?? 0) + performance.now() - start);
  return value;
}

export function total(phases: Phases): number {
  return [...phases.values()].reduce((sum, ms) => sum + ms, 0);
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
