import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { QueueFault } from '../queue-fault.ts';

/** The shortest limit for a socket's path among the systems we run on (macOS), less the closing zero byte. */
const MAX_SOCKET_PATH = 103;
const ANSWER_MS = 1000;

/**
 * Takes the lock kept in the folder `path` for this process, and gives what releases it.
 *
 * The lock is a unix socket somebody listens on. A process that dies stops listening, however it dies, so the
 * lock cannot be left behind. Two processes on one database would silently lose each other's writes, so a lock
 * that is held rejects with `queue-folder-in-use`, naming the holder.
 *
 * Sockets are numbered, and the highest number counts. Whoever finds nobody behind it tries to make the next
 * one, which only one can. The highest is never removed, not even on release: a number is given out once, and
 * somebody slow, who looked at an older state, cannot undo what happened since.
 */
export async function lockFolder(path: string): Promise<() => Promise<void>> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const folder = await shortName(path);
  const aside = join(folder.name, `new-${randomUUID().slice(0, 8)}`);
  const server = await listen(aside);
  const release = async () => {
    await close(server);
    await folder.handle?.close();
  };
  try {
    await takeNumber(folder.name, aside, path);
    return release;
  } catch (cause) {
    await release();
    throw cause;
  } finally {
    await rm(aside, { force: true });
  }
}

async function takeNumber(folder: string, socket: string, path: string): Promise<void> {
  for (;;) {
    const highest = Math.max(0, ...(await numbersIn(folder)));
    const holder = highest === 0 ? undefined : await askHolder(join(folder, `${highest}`));
    if (holder !== undefined) throw inUse(path, holder);
    const mine = highest + 1;
    // A socket appears under its number while somebody listens on it or not at all: a link fails when it is taken.
    if (!(await tryLink(socket, join(folder, `${mine}`)))) continue;
    const numbers = await numbersIn(folder);
    // Lower numbers are removed by who holds a higher one, so `mine` may have been free a second time.
    const isHighest = numbers.every(number => number <= mine);
    const over = isHighest ? numbers.filter(number => number < mine) : [mine];
    await Promise.all(over.map(number => rm(join(folder, `${number}`), { force: true })));
    if (isHighest) return;
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await readdir(folder)).filter(name => /^\d+$/.test(name)).map(Number);
}

/** Linux reaches a folder with a long name through an open handle; elsewhere a long name cannot hold a socket. */
async function shortName(folder: string): Promise<{ name: string; handle?: FileHandle }> {
  if (Buffer.byteLength(join(folder, 'new-12345678')) <= MAX_SOCKET_PATH) return { name: folder };
  if (process.platform !== 'linux') {
    throw new QueueFault(
      'queue-folder-unusable',
      `The path ${folder} is too long to hold the lock of the queue. Set SKILLKEEPER_DATA_DIR to a shorter one.`,
    );
  }
  const handle = await open(folder);
  return { name: `/proc/self/fd/${handle.fd}`, handle };
}

function listen(path: string): Promise<Server> {
  const who = `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`;
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.end(who);
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

/** Who listens there; undefined when nobody does. Somebody who does not answer is somebody all the same. */
function askHolder(path: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = createConnection(path);
    let said = '';
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.setEncoding('utf8');
    socket.on('data', chunk => {
      said += chunk;
    });
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      const isNobody = cause.code === 'ECONNREFUSED' || cause.code === 'ENOENT';
      resolve(isNobody ? undefined : `another process (${cause.code})`);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(said || 'another process');
    });
  });
}

function inUse(path: string, holder: string): QueueFault {
  return new QueueFault(
    'queue-folder-in-use',
    `The queue in ${dirname(path)} is in use by ${holder}. Only one process can work on it: stop that one, give this one its own SKILLKEEPER_DATA_DIR, or set QUEUE_REDIS_URL so that both share a Redis.`,
  );
}
