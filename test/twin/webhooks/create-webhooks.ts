import { randomUUID } from 'node:crypto';
import type { Violation } from '../core.ts';
import type { Contract } from '../openapi/contract.ts';
import type { App, Installation, Repository, World } from '../world/world.ts';
import type { Delivery, MutableDelivery } from './delivery.ts';
import { sendDelivery } from './send-delivery.ts';

interface WebhookEvent {
  readonly app: App;
  readonly event: string;
  readonly action: string | null;
  readonly installation: Installation | null;
  readonly repository: Repository | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Hands events over one after the other, each once the last was answered; the knobs break that on purpose. */
export interface Webhooks {
  readonly deliveries: readonly Delivery[];
  readonly emit: (event: WebhookEvent) => void;
  /** Keeps everything back from now on. */
  readonly hold: () => void;
  /** Sends what was held back, in its order, and holds no longer. */
  readonly release: () => void;
  /** Changes the order of what is held back; reverses it when no order is given. */
  readonly reorder: (order?: (held: readonly Delivery[]) => readonly Delivery[]) => void;
  /** The next ones are sent twice, with the same GUID, as a redelivery nobody asked for. */
  readonly duplicateNext: (count?: number) => void;
  /** The next ones never arrive; they are listed as failed. */
  readonly dropNext: (count?: number) => void;
  /** The next one is sent so much later; those after it overtake it. */
  readonly delayNext: (milliseconds: number) => void;
  /** From now on nothing waits for the answer of the one before. */
  readonly sendInParallel: () => void;
  /** Sends it once more: same GUID, a delivery id of its own. */
  readonly redeliver: (deliveryId: number) => Delivery;
  /** Waits until nothing is under way. What is held back stays so. */
  readonly settle: () => Promise<void>;
}

export function createWebhooks(
  world: World,
  contract: Contract,
  violations: Violation[],
  deadlineMs: number,
): Webhooks {
  const deliveries: MutableDelivery[] = [];
  const underWay = new Set<Promise<void>>();
  const planned = { duplicates: 0, drops: 0, delays: [] as number[] };
  let held: Delivery[] | null = null;
  let inParallel = false;
  let queue: Promise<void> = Promise.resolve();

  const track = (work: Promise<void>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };
  const send = (delivery: MutableDelivery): void => {
    delivery.state = 'waiting';
    const sent = (): Promise<void> => sendDelivery(delivery, world.clock, deadlineMs);
    const work = inParallel ? sent() : queue.then(sent);
    if (!inParallel) queue = work;
    track(work);
  };
  const dispatch = (delivery: MutableDelivery): void => {
    if (held !== null) {
      delivery.state = 'held';
      held.push(delivery);
    } else send(delivery);
  };
  const add = (model: Omit<MutableDelivery, 'id'>): MutableDelivery => {
    const delivery = { ...model, id: world.nextId() };
    deliveries.push(delivery);
    return delivery;
  };
  const emit = (event: WebhookEvent): void => {
    const problem = contract.checkPayload(event.event, event.action, event.payload);
    const where = event.action === null ? event.event : `${event.event}.${event.action}`;
    if (problem !== null) violations.push({ kind: 'webhook', where, problem });
    const delivery = add(newDelivery(event, world));
    const delay = planned.delays.shift();
    if (planned.drops > 0) {
      planned.drops -= 1;
      Object.assign(delivery, { state: 'dropped', status: 'failed to connect to host', statusCode: 502 });
    } else if (delay !== undefined) {
      track(
        new Promise<void>(resolve => setTimeout(resolve, delay)).then(() =>
          sendDelivery(delivery, world.clock, deadlineMs),
        ),
      );
    } else {
      dispatch(delivery);
      if (planned.duplicates === 0) return;
      planned.duplicates -= 1;
      dispatch(add(delivery));
    }
  };
  return {
    deliveries,
    emit,
    hold: () => {
      held ??= [];
    },
    release: () => {
      const waiting = held ?? [];
      held = null;
      for (const each of waiting) send(each as MutableDelivery);
    },
    reorder: (order = each => [...each].reverse()) => {
      if (held === null) throw new Error('Nothing is held back: call hold() first.');
      held = [...order(held)];
    },
    duplicateNext: (count = 1) => {
      planned.duplicates += count;
    },
    dropNext: (count = 1) => {
      planned.drops += count;
    },
    delayNext: milliseconds => {
      planned.delays.push(milliseconds);
    },
    sendInParallel: () => {
      inParallel = true;
    },
    redeliver: deliveryId => {
      const found = deliveries.find(each => each.id === deliveryId);
      if (found === undefined) throw new Error(`There is no delivery ${deliveryId}.`);
      const again = add({ ...found, redelivery: true });
      send(again);
      return again;
    },
    settle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function newDelivery(event: WebhookEvent, world: World): Omit<MutableDelivery, 'id'> {
  return {
    guid: randomUUID(),
    app: event.app,
    event: event.event,
    action: event.action,
    installationId: event.installation?.id ?? null,
    repositoryId: event.repository?.id ?? null,
    payload: structuredClone(event.payload),
    redelivery: false,
    state: 'waiting',
    deliveredAt: world.clock.now(),
    duration: 0,
    status: 'pending',
    statusCode: 0,
    requestHeaders: {},
    responseHeaders: {},
    responseBody: '',
  };
}
