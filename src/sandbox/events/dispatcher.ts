import { createLanes, type Lanes } from '../../delivery/lanes.ts';
import { openTarget, type Target } from '../../delivery/target.ts';
import type { Core } from '../state/state.ts';
import { attempt, faultOf, type Made, type Sending } from './attempt.ts';
import { deliveryNamed, updateDelivery } from './deliveries.ts';
import { disableGone } from './webhooks.ts';

/** Waits until a delivery is due, then passes it to the lanes of its webhook, which has `timeout` of real time to answer. */
export function createDispatcher(core: Core, timeout = 15_000) {
  const { store, clock, warn } = core;
  const { state } = store;
  const connections = new Map<string, { readonly target: Target; readonly lanes: Lanes }>();
  /** Ids of deliveries that are in the lanes. */
  const queued = new Set<string>();
  const settling: (() => void)[] = [];
  let added: string[] = [];
  let soon: NodeJS.Immediate | undefined;
  let isClosed = false;

  for (const { deliveries } of state.events.all()) add(deliveries.map(({ id }) => id));
  store.follow((what) => {
    if (what.type === 'event') add(what.emitted.deliveries.map(({ id }) => id));
    else if (what.type === 'delivery' || what.type === 'attempt') add([what.id]);
  });
  return {
    /** Resolves when no attempt is in flight or about to start. */
    settled: () =>
      new Promise<void>((resolve) => {
        settling.push(resolve);
        settle();
      }),
    /** Forgets attempts in flight; they are repeated after a restart. */
    close() {
      isClosed = true;
      clearImmediate(soon);
      soon = undefined;
      for (const { target, lanes } of connections.values()) {
        lanes.stop();
        target.close();
      }
      for (const resolve of settling.splice(0)) resolve();
    },
  };

  /** Schedules in the next turn of the event loop, so that the reply to the current request goes first. */
  function add(ids: readonly string[]): void {
    for (const id of ids) if (sendingOf(id)) added.push(id);
    if (added.length > 0 && !isClosed) soon ??= setImmediate(scheduleAdded);
  }

  function scheduleAdded(): void {
    const ids = added;
    added = [];
    soon = undefined;
    for (const id of ids) schedule(id);
    settle();
  }

  function schedule(id: string): void {
    const sending = isClosed || queued.has(id) ? undefined : sendingOf(id);
    if (!sending) return;
    const { next } = sending.delivery;
    if (next <= clock.now()) return enqueue(sending);
    clock.at(
      next,
      () => schedule(id),
      () => sendingOf(id)?.delivery.next !== next,
    );
  }

  function enqueue(sending: Sending): void {
    const { event, delivery } = sending;
    const { target, lanes } = connectionTo(sending);
    queued.add(delivery.id);
    // The first attempts of a message's events are in order; a retry waits for no other delivery.
    const lane = delivery.tries > 0 ? delivery.id : (event.message ?? event.id);
    lanes.add(lane, () => send(delivery.id, target));
  }

  function connectionTo({ webhook: { id, url } }: Sending) {
    const open = connections.get(id);
    if (open) return open;
    const connection = { target: openTarget(new URL(url), timeout), lanes: createLanes(later, settle) };
    connections.set(id, connection);
    return connection;
  }

  /** Resolves to the milliseconds that a fault delays the attempt, or to undefined after it. */
  async function send(id: string, target: Target): Promise<number | undefined> {
    const sending = sendingOf(id);
    const delay = sending ? delayOf(sending) : 0;
    if (delay > 0) return delay;
    try {
      const made = sending && !isClosed ? await attempt(sending, target, core) : undefined;
      queued.delete(id);
      if (sending && made && !isClosed) store.change(() => record(sending, made));
    } catch (error) {
      queued.delete(id);
      warn(`${id} could not be sent: ${String(error)}`);
    }
    return undefined;
  }

  function record({ delivery: { id, ...before }, webhook }: Sending, { attempts, change, isGone }: Made): void {
    const all = { attempts: [...before.attempts, ...attempts], tries: before.tries + attempts.length };
    updateDelivery(core, id, { ...all, ...change });
    store.happened({ type: 'attempt', id });
    if (isGone) disableGone(core, webhook.id);
  }

  /** Undefined if it no longer waits. */
  function sendingOf(id: string): Sending | undefined {
    const event = state.events.get(id)?.event;
    const delivery = deliveryNamed(state, id);
    const webhook = delivery && state.webhooks.get(delivery.webhook);
    return event && webhook && delivery.state === 'waiting' ? { event, delivery, webhook } : undefined;
  }

  function settle(): void {
    if (soon === undefined && isIdle()) for (const resolve of settling.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return [...connections.values()].every(({ lanes }) => lanes.running() === 0);
  }

  function delayOf({ delivery }: Sending): number {
    const fault = faultOf(delivery, state);
    return fault?.kind === 'delay' ? delivery.at + fault.ms - clock.now() : 0;
  }

  function later(milliseconds: number, run: () => void): () => void {
    return clock.at(clock.now() + milliseconds, run);
  }
}
