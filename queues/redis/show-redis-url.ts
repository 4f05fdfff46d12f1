/** The address of a Redis without user, password and query, fit for messages and logs. */
export function showRedisUrl(redisUrl: string): string {
  const url = new URL(redisUrl);
  return `${url.protocol}//${url.hostname}:${url.port || '6379'}${url.pathname === '/' ? '' : url.pathname}`;
}
