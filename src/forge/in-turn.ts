export type InTurn = <Value>(key: number, work: () => Promise<Value>) => Promise<Value>;

/**
 * Does the work of one key one after the other, in the order it came; a failure holds nobody up. Within this
 * process only: GitHub asks that content is not created in parallel, and limits it hard.
 * https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
 */
export function createTurns(): InTurn {
  const last = new Map<number, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return mine;
  };
}
