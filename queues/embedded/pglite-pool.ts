import { EventEmitter } from 'node:events';
import type { PGlite } from '@electric-sql/pglite';
import {
  type PgNotification,
  type PgPool,
  type PgPoolClient,
  type PgQueryResult,
  runMigrations,
} from 'bullmq';

/** How long a notification is repeated to listeners that come late, in milliseconds. */
const REPLAY_MS = 1000;
const SCHEMA = 'bullmq';

type Params = readonly unknown[] | undefined;

/** The parts of `pg`'s pool that BullMQ's PostgreSQL backend uses, over the one session PGlite has. */
export interface PglitePool extends PgPool {
  readonly options: { readonly keepAlive: true };
}

/**
 * Brings the database up to BullMQ's schema and gives a pool whose clients all share its single session.
 * That is safe because every operation of the backend is one statement; a transaction is refused.
 */
export async function openPglitePool(database: PGlite): Promise<PglitePool> {
  // Migrations are the only transaction: they run before anybody shares the session.
  await runMigrations({ query: (text, params) => query(database, text, params) }, SCHEMA);
  await database.exec(`SET search_path TO "${SCHEMA}"; LISTEN bullmq_jobs; LISTEN bullmq_events`);
  const clients = new Set<Client>();
  const recent = new RecentNotifications();
  const stopListening = database.onNotification((channel, payload) => {
    recent.add(channel, payload);
    for (const client of [...clients]) client.emit('notification', { channel, payload });
  });
  return Object.assign(new EventEmitter().setMaxListeners(0), {
    // There is no connection that could drop unseen; without this BullMQ wakes idle workers every ten seconds.
    options: { keepAlive: true as const },
    async query(text: string, params?: Params) {
      if (text.includes('FROM pg_stat_activity')) return namesOf(clients);
      return queryOutsideTransaction(database, text, params);
    },
    async connect() {
      return new Client(database, clients, recent) as PgPoolClient;
    },
    async end() {
      stopListening();
      clients.clear();
    },
  }) as unknown as PglitePool;
}

class Client extends EventEmitter {
  // The same as `options.keepAlive`, for the place where BullMQ looks at a client.
  readonly connection = { stream: { setKeepAlive() {} } };
  name: string | undefined;
  readonly #database: PGlite;
  readonly #clients: Set<Client>;

  constructor(database: PGlite, clients: Set<Client>, recent: RecentNotifications) {
    super();
    this.setMaxListeners(0);
    this.#database = database;
    this.#clients = clients;
    clients.add(this);
    // BullMQ looks for a job, then subscribes: what was announced between the two would never be heard.
    this.on('newListener', (event, listener) => {
      if (event === 'notification') setImmediate(() => recent.replayTo(listener));
    });
  }

  async query(text: string, params?: Params): Promise<PgQueryResult> {
    // `application_name` belongs to a connection, and all clients share one: each keeps its own here.
    if (text.includes("set_config('application_name'")) {
      this.name = String(params?.[0]);
      return { rows: [], rowCount: 0 };
    }
    return queryOutsideTransaction(this.#database, text, params);
  }

  release(): void {
    this.#clients.delete(this);
    this.removeAllListeners();
  }
}

class RecentNotifications {
  #kept: (PgNotification & { at: number })[] = [];

  add(channel: string, payload: string): void {
    const now = performance.now();
    const isOther = (one: PgNotification) => one.channel !== channel || one.payload !== payload;
    this.#kept = this.#kept.filter(one => now - one.at < REPLAY_MS && isOther(one));
    this.#kept.push({ channel, payload, at: now });
  }

  replayTo(listener: (notification: PgNotification) => void): void {
    const since = performance.now() - REPLAY_MS;
    for (const { at, ...notification } of this.#kept) if (at >= since) listener(notification);
  }
}

async function queryOutsideTransaction(
  database: PGlite,
  text: string,
  params: Params,
): Promise<PgQueryResult> {
  if (/^\s*(?:BEGIN|START TRANSACTION|COMMIT|ROLLBACK)\b/i.test(text)) {
    throw new Error('The embedded queue has one session for all: no transaction can be open in it.');
  }
  return query(database, text, params);
}

async function query(database: PGlite, text: string, params: Params): Promise<PgQueryResult> {
  // PGlite answers within one microtask queue: a loop that polls it would let no timer and no socket through.
  await new Promise(resolve => setImmediate(resolve));
  if (params?.length) {
    const { rows, affectedRows } = await database.query(text, [...params]);
    return { rows, rowCount: affectedRows || rows.length };
  }
  const last = (await database.exec(text)).at(-1); // several statements may stand in one text
  return { rows: last?.rows ?? [], rowCount: last?.affectedRows || (last?.rows.length ?? 0) };
}

function namesOf(clients: Set<Client>): PgQueryResult {
  const named = [...clients].filter(client => client.name !== undefined);
  return { rows: named.map(client => ({ application_name: client.name })), rowCount: named.length };
}
