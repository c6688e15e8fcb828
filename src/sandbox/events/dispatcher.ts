import { redact } from '../../base/redact.ts';
import { openTarget, type Target } from '../../delivery/target.ts';
import type { Ledger } from '../state/ledger.ts';
import type { Change } from '../state/records.ts';
import type { Sending, State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { attempt, faultOf, type Surroundings } from './attempt.ts';
import { isWaiting } from './fan-out.ts';
import { createOutbox, type Hold, type Outbox } from './send-queue.ts';

/** Carries events to webhooks. */
interface Courier {
  /** Resolves when nothing is on its way, and nothing could leave now. */
  settled(): Promise<void>;
  /** What is on its way is forgotten, and leaves again after a restart. */
  close(): void;
}

interface CourierOptions extends Omit<Surroundings, 'state'> {
  readonly ledger: Ledger;
  /** Milliseconds by the wall within which a webhook has to answer. */
  readonly patience?: number | undefined;
  readonly warn: (text: string) => void;
}

interface Way {
  readonly target: Target;
  readonly outbox: Outbox;
}

const reorderFor = 5_000;

/** Knows when a delivery is to leave; whether others go before it is up to the outbox of its webhook. */
export function createCourier({ ledger, clock, mint, shape, patience = 15_000, warn }: CourierOptions): Courier {
  const { state } = ledger;
  const ways = new Map<string, Way>();
  /** Of each that has yet to leave: in an outbox, or what calls it off. */
  const places = new Map<Sending, 'outbox' | (() => void)>();
  const record = createRecorder({ ledger, clock, warn });
  const settling: (() => void)[] = [];
  let arrivals: Sending[] = [];
  let soon: NodeJS.Immediate | undefined;
  let [underway, closed] = [0, false];

  arrive(state.deliveries.values());
  ledger.follow((change) => arrive(concerned(change, state)));
  return {
    settled: () =>
      new Promise((resolve) => {
        settling.push(resolve);
        settle();
      }),
    close() {
      closed = true;
      clearImmediate(soon);
      soon = undefined;
      for (const place of places.values()) if (place !== 'outbox') place();
      for (const { target } of ways.values()) target.close();
      for (const resolve of settling.splice(0)) resolve();
    },
  };

  /** Nothing leaves in the course of a commit, which an answer may be waiting for. */
  function arrive(sendings: Iterable<Sending | undefined>): void {
    for (const sending of sendings) if (sending && isWaiting(sending, state)) arrivals.push(sending);
    if (arrivals.length > 0 && !closed) soon ??= setImmediate(takeUp);
  }

  function takeUp(): void {
    const taken = arrivals;
    [arrivals, soon] = [[], undefined];
    for (const sending of taken) take(sending);
    settle();
  }

  function take(sending: Sending): void {
    const place = places.get(sending);
    if (place === 'outbox' || !isWaiting(sending, state)) return;
    place?.();
    const at = Number(sending.next);
    if (at > clock.now())
      places.set(
        sending,
        clock.at(at, () => hand(sending)),
      );
    else hand(sending);
  }

  function hand(sending: Sending): void {
    places.set(sending, 'outbox');
    wayTo(sending).outbox.add(sending);
  }

  function wayTo({ to: { webhook } }: Sending): Way {
    const known = ways.get(webhook.id);
    if (known) return known;
    const target = openTarget(new URL(webhook.url), patience);
    const outbox = createOutbox({ clock, holdOf, attempt: (sending) => leave(sending, target), ended });
    const way = { target, outbox };
    ways.set(webhook.id, way);
    return way;
  }

  async function leave(sending: Sending, target: Target): Promise<void> {
    underway += 1;
    if (closed || !isWaiting(sending, state)) return void places.delete(sending);
    try {
      const changes = await attempt(sending, target, { state, clock, mint, shape });
      if (!closed) record({ changes, recorded: () => recorded(sending, changes) });
    } catch (error) {
      warn(`${sending.delivery.id} could not be sent: ${String(error)}`);
    }
  }

  function recorded(sending: Sending, changes: readonly Change[]): void {
    places.delete(sending);
    if (changes.some(({ type }) => type === 'webhook-disabled'))
      warn(`the webhook ${redact(sending.to.webhook.url)} answered 410 and is disabled; add it again to enable it`);
  }

  function ended(): void {
    underway -= 1;
    settle();
  }

  function settle(): void {
    if (underway === 0 && soon === undefined) for (const resolve of settling.splice(0)) resolve();
  }

  function holdOf(sending: Sending): Hold | undefined {
    const fault = faultOf(sending, state);
    const overtaken = fault?.kind === 'reorder';
    // Without one it leaves when it is due, though a clock that went back stands before its making.
    const held = fault?.kind === 'delay' ? fault.ms : overtaken ? reorderFor : undefined;
    if (held === undefined) return undefined;
    const until = sending.delivery.at + held;
    return until > clock.now() ? { until, overtaken } : undefined;
  }
}

/** The deliveries that a change may have made due. */
function concerned(change: Change, { deliveries }: State): Iterable<Sending | undefined> {
  if (change.type === 'webhook')
    return [...deliveries.values()].filter(({ to }) => to.webhook.id === change.webhook.id);
  if (change.type === 'delivery') return [deliveries.get(change.delivery.id)];
  return change.type === 'attempt' || change.type === 'redelivery' ? [deliveries.get(change.delivery)] : [];
}

interface RecorderOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

interface Entry {
  readonly changes: readonly Change[];
  readonly recorded: () => void;
}

const pause = 5_000;

/** Records attempts. What cannot be recorded has happened all the same: it is not done again, but recorded later. */
function createRecorder({ ledger, clock, warn }: RecorderOptions): (entry: Entry) => void {
  const waiting: Entry[] = [];
  let told = false;
  return (entry) => {
    waiting.push(entry);
    if (waiting.length === 1) recordAll();
  };

  function recordAll(): void {
    for (let entry = waiting[0]; entry; entry = waiting[0]) {
      try {
        ledger.commit(entry.changes);
      } catch (error) {
        if (!told) warn(`deliveries cannot be recorded for now: ${String(error)}`);
        told = true;
        clock.at(clock.now() + pause, recordAll);
        return;
      }
      waiting.shift();
      entry.recorded();
    }
    told = false;
  }
}
