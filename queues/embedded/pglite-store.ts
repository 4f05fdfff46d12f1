import type { PGlite } from '@electric-sql/pglite';
import type { LineEntry, QueueStore } from '../backend.ts';
import { inCommentOrder, type StoredEntry } from '../comment-order.ts';

const SCHEMA = `
CREATE SCHEMA IF NOT EXISTS skillkeeper;
CREATE TABLE IF NOT EXISTS skillkeeper.known (
  key text PRIMARY KEY, value text NOT NULL, expires_at bigint
);
CREATE TABLE IF NOT EXISTS skillkeeper.line (
  line text NOT NULL, job_id text NOT NULL,
  comment_id bigint NOT NULL, command_index integer NOT NULL, joined_at bigint NOT NULL,
  PRIMARY KEY (line, job_id)
);`;

/** Creates the tables beside BullMQ's, and drops what has expired. */
export async function prepareStore(database: PGlite): Promise<void> {
  await database.exec(SCHEMA);
  await database.query('DELETE FROM skillkeeper.known WHERE expires_at < $1', [Date.now()]);
}

/** Claims, which live no longer than the one process that can hold them. */
export type Claims = Map<string, { owner: string; token: string; until: number }>;

/** The store of the embedded queue: two tables, and claims in memory. */
export function openPgliteStore(database: PGlite, claims: Claims, namespace: string): QueueStore {
  const named = (key: string) => `${namespace}:${key}`;
  const held = (key: string) => {
    const claim = claims.get(named(key));
    return claim !== undefined && claim.until > Date.now() ? claim : undefined;
  };
  return {
    async remember(key, value, ttlMs) {
      const now = Date.now();
      const { rows } = await database.query(
        `INSERT INTO skillkeeper.known AS k VALUES ($1, $2, $3)
         ON CONFLICT (key) DO UPDATE SET value = $2, expires_at = $3 WHERE k.expires_at < $4 RETURNING 1`,
        [named(key), value, ttlMs === undefined ? null : now + ttlMs, now],
      );
      return rows.length === 1;
    },
    async recall(key) {
      const { rows } = await database.query<{ value: string }>(
        'SELECT value FROM skillkeeper.known WHERE key = $1 AND (expires_at IS NULL OR expires_at >= $2)',
        [named(key), Date.now()],
      );
      return rows[0]?.value;
    },
    async claim(key, owner, token, ttlMs) {
      if ((held(key)?.owner ?? owner) !== owner) return false;
      claims.set(named(key), { owner, token, until: Date.now() + ttlMs });
      return true;
    },
    async isClaimed(key) {
      return held(key) !== undefined;
    },
    async renew(key, token, ttlMs) {
      const claim = held(key);
      if (claim?.token !== token) return false;
      claim.until = Date.now() + ttlMs;
      return true;
    },
    async release(key, token) {
      if (held(key)?.token === token) claims.delete(named(key));
    },
    async joinLine(line, { jobId, commentId, commandIndex }) {
      await database.query(
        'INSERT INTO skillkeeper.line VALUES ($1, $2, $3, $4, $5) ON CONFLICT (line, job_id) DO NOTHING',
        [named(line), jobId, commentId, commandIndex, Date.now()],
      );
    },
    async leaveLine(line, jobId) {
      await database.query('DELETE FROM skillkeeper.line WHERE line = $1 AND job_id = $2', [
        named(line),
        jobId,
      ]);
    },
    async readLine(line) {
      const { rows } = await database.query<LineEntry & StoredEntry>(
        `SELECT job_id AS "jobId", comment_id AS "commentId", command_index AS "commandIndex",
                joined_at AS "joinedAt" FROM skillkeeper.line WHERE line = $1`,
        [named(line)],
      );
      return inCommentOrder(rows);
    },
  };
}
