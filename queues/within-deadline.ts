/** Rejects with `Error: no answer within … ms` when `promise` takes longer; a late rejection is swallowed. */
export async function withinDeadline<T>(promise: Promise<T>, deadlineMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => {});
  }
}

/** Waits for `promise` whatever comes of it, `ms` at most; tells whether it settled in time. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return withinDeadline(settled, ms).catch(() => false);
}
