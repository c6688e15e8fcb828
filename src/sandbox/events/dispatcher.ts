import { createLanes, type Lanes } from '../../delivery/lanes.ts';
import { openTarget, type Target } from '../../delivery/target.ts';
import type { Core } from '../state/state.ts';
import { attempt, faultOf, type Made, type Sending } from './attempt.ts';
import { deliveryNamed, updateDelivery } from './deliveries.ts';
import { disableGone } from './webhooks.ts';

/** Waits until a delivery is due, then passes it to the lanes of its webhook, which has `timeout` of real time to answer. */
export class Dispatcher {
  readonly #core: Core;
  readonly #timeout: number;
  readonly #connections = new Map<string, { readonly target: Target; readonly lanes: Lanes }>();
  /** Ids of deliveries that are in the lanes. */
  readonly #queued = new Set<string>();
  #settling: (() => void)[] = [];
  #added: string[] = [];
  #soon: NodeJS.Immediate | undefined;
  #isClosed = false;

  constructor(core: Core, timeout = 15_000) {
    this.#core = core;
    this.#timeout = timeout;
    for (const { deliveries } of core.store.state.events.all()) this.#add(deliveries.map(({ id }) => id));
    core.store.follow((what) => {
      if (what.type === 'event') this.#add(what.emitted.deliveries.map(({ id }) => id));
      else if (what.type === 'delivery' || what.type === 'attempt') this.#add([what.id]);
    });
  }

  /** Resolves when no attempt is in flight or about to start. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#settling.push(resolve);
      this.#settle();
    });
  }

  /** Forgets attempts in flight; they are repeated after a restart. */
  close(): void {
    this.#isClosed = true;
    clearImmediate(this.#soon);
    this.#soon = undefined;
    for (const { target, lanes } of this.#connections.values()) {
      lanes.stop();
      target.close();
    }
    this.#settle();
  }

  /** Schedules in the next turn of the event loop, so that the reply to the current request goes first. */
  #add(ids: readonly string[]): void {
    for (const id of ids) if (this.#sendingOf(id)) this.#added.push(id);
    if (this.#added.length > 0 && !this.#isClosed) this.#soon ??= setImmediate(() => this.#scheduleAdded());
  }

  #scheduleAdded(): void {
    const ids = this.#added;
    this.#added = [];
    this.#soon = undefined;
    for (const id of ids) this.#schedule(id);
    this.#settle();
  }

  #schedule(id: string): void {
    const { clock } = this.#core;
    const sending = this.#isClosed || this.#queued.has(id) ? undefined : this.#sendingOf(id);
    if (!sending) return;
    const { next } = sending.delivery;
    if (next <= clock.now()) return this.#enqueue(sending);
    clock.at(
      next,
      () => this.#schedule(id),
      () => this.#sendingOf(id)?.delivery.next !== next,
    );
  }

  #enqueue(sending: Sending): void {
    const { event, delivery } = sending;
    const { target, lanes } = this.#connectionTo(sending);
    this.#queued.add(delivery.id);
    // The first attempts of a message's events are in order; a retry waits for no other delivery.
    const lane = delivery.tries > 0 ? delivery.id : (event.message ?? event.id);
    lanes.add(lane, () => this.#send(delivery.id, target));
  }

  #connectionTo({ webhook: { id, url } }: Sending) {
    const open = this.#connections.get(id);
    if (open) return open;
    const { clock } = this.#core;
    const lanes = createLanes(
      (milliseconds, run) => clock.at(clock.now() + milliseconds, run),
      () => this.#settle(),
    );
    const connection = { target: openTarget(new URL(url), this.#timeout), lanes };
    this.#connections.set(id, connection);
    return connection;
  }

  /** Resolves to the milliseconds that a fault delays the attempt, or to undefined after it. */
  async #send(id: string, target: Target): Promise<number | undefined> {
    const { store, clock, warn } = this.#core;
    const sending = this.#sendingOf(id);
    const fault = sending && faultOf(sending.delivery, store.state);
    const delay = sending && fault?.kind === 'delay' ? sending.delivery.at + fault.ms - clock.now() : 0;
    if (delay > 0) return delay;
    try {
      const made = sending && !this.#isClosed ? await attempt(sending, target, this.#core) : undefined;
      this.#queued.delete(id);
      if (sending && made && !this.#isClosed) store.change(() => this.#record(sending, made));
    } catch (error) {
      this.#queued.delete(id);
      warn(`${id} could not be sent: ${String(error)}`);
    }
    return undefined;
  }

  #record({ delivery: { id, ...before }, webhook }: Sending, { attempts, change, isGone }: Made): void {
    const all = { attempts: [...before.attempts, ...attempts], tries: before.tries + attempts.length };
    updateDelivery(this.#core, id, { ...all, ...change });
    this.#core.store.happened({ type: 'attempt', id });
    if (isGone) disableGone(this.#core, webhook.id);
  }

  /** Undefined if it no longer waits. */
  #sendingOf(id: string): Sending | undefined {
    const { state } = this.#core.store;
    const event = state.events.get(id)?.event;
    const delivery = deliveryNamed(state, id);
    const webhook = delivery && state.webhooks.get(delivery.webhook);
    return event && webhook && delivery.state === 'waiting' ? { event, delivery, webhook } : undefined;
  }

  #settle(): void {
    const isIdle = [...this.#connections.values()].every(({ lanes }) => lanes.running() === 0);
    if (!this.#isClosed && (this.#soon !== undefined || !isIdle)) return;
    const settling = this.#settling;
    this.#settling = [];
    for (const resolve of settling) resolve();
  }
}
