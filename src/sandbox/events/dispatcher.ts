import { redact } from '../../base/redact.ts';
import { createLanes, type Lanes } from '../../delivery/lanes.ts';
import { openTarget, type Target } from '../../delivery/target.ts';
import type { Change } from '../state/records.ts';
import type { Core, Sending, State } from '../state/state.ts';
import { createPatientCommit } from '../state/store.ts';
import { attempt, faultOf } from './attempt.ts';
import { isWaiting } from './deliveries.ts';

interface DispatcherOptions extends Core {
  /** Milliseconds of real time that a webhook has to respond (default: 15 s). */
  readonly timeout?: number | undefined;
}

interface Connection {
  readonly target: Target;
  readonly lanes: Lanes;
}

/** Waits until a delivery is due, then passes it to the lanes of its webhook. */
export function createDispatcher(options: DispatcherOptions) {
  const { store, clock, timeout = 15_000, warn } = options;
  const { state } = store;
  const connections = new Map<string, Connection>();
  /** Pending deliveries: queued, or the function that cancels the timer. */
  const pending = new Map<Sending, 'queued' | (() => void)>();
  const commit = createPatientCommit(options, 'deliveries');
  const settling: (() => void)[] = [];
  let added: Sending[] = [];
  let soon: NodeJS.Immediate | undefined;
  let closed = false;

  add(state.deliveries.values());
  store.follow((change) => add(affectedBy(change, state)));
  return {
    /** Resolves when no attempt is in flight or about to start. */
    settled: () =>
      new Promise<void>((resolve) => {
        settling.push(resolve);
        settle();
      }),
    /** Forgets attempts in flight; they are repeated after a restart. */
    close() {
      closed = true;
      clearImmediate(soon);
      soon = undefined;
      for (const entry of pending.values()) if (entry !== 'queued') entry();
      for (const { target, lanes } of connections.values()) {
        lanes.stop();
        target.close();
      }
      for (const resolve of settling.splice(0)) resolve();
    },
  };

  /** Schedules in the next turn of the event loop, so that the reply to the current request goes first. */
  function add(sendings: Iterable<Sending | undefined>): void {
    for (const sending of sendings) if (sending && isWaiting(sending, state)) added.push(sending);
    if (added.length > 0 && !closed) soon ??= setImmediate(scheduleAdded);
  }

  function scheduleAdded(): void {
    const sendings = added;
    [added, soon] = [[], undefined];
    for (const sending of sendings) schedule(sending);
    settle();
  }

  function schedule(sending: Sending): void {
    const entry = pending.get(sending);
    if (entry === 'queued' || !isWaiting(sending, state)) return;
    entry?.();
    const at = Number(sending.next);
    if (at <= clock.now()) return enqueue(sending);
    pending.set(
      sending,
      clock.at(
        at,
        () => enqueue(sending),
        () => !isWaiting(sending, state),
      ),
    );
  }

  function enqueue(sending: Sending): void {
    pending.set(sending, 'queued');
    const { target, lanes } = connectionTo(sending);
    // The first attempts of a message's events are in order; a retry waits for no other delivery.
    const lane = sending.tries > 0 ? sending.delivery.id : (sending.event.message ?? sending.event.id);
    lanes.add(lane, () => send(sending, target));
  }

  function connectionTo({ to: { webhook } }: Sending): Connection {
    const known = connections.get(webhook.id);
    if (known) return known;
    const target = openTarget(new URL(webhook.url), timeout);
    const connection = { target, lanes: createLanes(later, settle) };
    connections.set(webhook.id, connection);
    return connection;
  }

  /** Resolves to the milliseconds that a fault delays the attempt, or to undefined after it. */
  async function send(sending: Sending, target: Target): Promise<number | undefined> {
    const delay = delayOf(sending);
    if (delay > 0) return delay;
    if (closed || !isWaiting(sending, state)) return void pending.delete(sending);
    try {
      const changes = await attempt(sending, target, options);
      // Only the commit is tried again, not the attempt.
      if (!closed)
        commit(
          () => changes,
          () => recorded(sending, changes),
        );
    } catch (error) {
      warn(`${sending.delivery.id} could not be sent: ${String(error)}`);
    }
    return undefined;
  }

  function recorded(sending: Sending, changes: readonly Change[]): void {
    pending.delete(sending);
    if (changes.some(({ type }) => type === 'webhook-disabled'))
      warn(`the webhook ${redact(sending.to.webhook.url)} answered 410 and is disabled; add it again to enable it`);
  }

  function settle(): void {
    if (soon === undefined && isIdle()) for (const resolve of settling.splice(0)) resolve();
  }

  function isIdle(): boolean {
    return [...connections.values()].every(({ lanes }) => lanes.running() === 0);
  }

  function delayOf(sending: Sending): number {
    const fault = faultOf(sending, state);
    return fault?.kind === 'delay' ? sending.delivery.at + fault.ms - clock.now() : 0;
  }

  function later(milliseconds: number, run: () => void): () => void {
    return clock.at(clock.now() + milliseconds, run);
  }
}

/** The deliveries that a change may have made due. */
function affectedBy(change: Change, { deliveries }: State): Iterable<Sending | undefined> {
  if (change.type === 'webhook')
    return [...deliveries.values()].filter(({ to }) => to.webhook.id === change.webhook.id);
  if (change.type === 'delivery') return [deliveries.get(change.delivery.id)];
  return change.type === 'attempt' || change.type === 'redelivery' ? [deliveries.get(change.delivery)] : [];
}
