import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchDelivery } from './make-delivery.ts';

/** Where deliveries go, and which answer means that one was taken. */
export interface Target {
  readonly url: string;
  readonly status: number;
}

/** So many are under way at once in a closed loop. */
const AT_ONCE = 16;
/** However fast the other side is, one window sends no more. */
const MOST = 50_000;

/**
 * Sends at a fixed rate, whether the ones before are answered or not, and gives the milliseconds from when each
 * was due to its answer: one that leaves late because the line is blocked is late (no coordinated omission).
 */
export async function sendAtRate(
  target: Target,
  make: () => BenchDelivery,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true });
  const start = performance.now() + 50;
  const dues = Array.from({ length: perSecond * seconds }, (_, index) => start + (index * 1000) / perSecond);
  const answered: Promise<number>[] = [];
  for (const due of dues) {
    const delivery = make();
    const early = due - performance.now();
    if (early > 1) await sleep(early);
    answered.push(send(target, agent, delivery).then(() => performance.now() - due));
  }
  const latencies = await Promise.all(answered);
  agent.destroy();
  return latencies;
}

/** Keeps a fixed number under way for so long, and gives how many were taken and in which time. */
export async function sendInLoop(
  target: Target,
  make: () => BenchDelivery,
  seconds: number,
): Promise<{ readonly taken: number; readonly seconds: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const start = performance.now();
  const end = start + seconds * 1000;
  let sent = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < end && sent < MOST) {
      sent += 1;
      await send(target, agent, make());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  agent.destroy();
  return { taken: sent, seconds: (performance.now() - start) / 1000 };
}

function send(target: Target, agent: Agent, { headers, body }: BenchDelivery): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(target.url, { method: 'POST', headers, agent }, response => {
      response.resume();
      response.once('end', () =>
        response.statusCode === target.status
          ? resolve()
          : reject(new Error(`a delivery was answered with ${response.statusCode}`)),
      );
    });
    call.once('error', reject);
    call.end(body);
  });
}
