import type { Later } from '../../base/host.ts';
import { countsOf, type Granted, type Ledger, type Share } from './minute.ts';
import type { Ended, Gate } from './pace.ts';

interface SharedGateOptions {
  readonly ledger: Ledger;
  readonly kind: Share['kind'];
  readonly limit: number;
  /** In milliseconds. */
  readonly window: number;
  /** The clock of the pace. */
  readonly now: () => number;
  readonly later: Later;
  /** Told once of each wait that others have caused. */
  readonly onWait: (milliseconds: number, why: Granted['why']) => void;
  /** Told once, when the ledger fails: from then on nobody waits for others. */
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds for which a run takes slots at once where a plan is fast; what it does not use it gives back. */
const lease = 50;
/** Milliseconds after which the ledger is told what was over, where nothing is asked of it meanwhile. */
const lateness = 50;
/** Milliseconds of a wait that is worth a word. */
const worthTelling = 1_000;

/** A gate that opens when a ledger says so; `changed` is called when that may be sooner than was said. */
export function createSharedGate(options: SharedGateOptions, changed: () => void): Gate {
  const { ledger, kind, limit, now } = options;
  const atOnce = kind === 'run' ? 1 + Math.floor((limit * lease) / options.window) : 1;
  const news = createNews(ledger);
  const telling = createTimer(options.later, () => {
    if (unused === 0 && news.isEmpty()) return;
    tell();
    changed();
  });
  let phase: 'idle' | 'asking' | 'failed' = 'idle';
  let [unused, inUse, askAgainAt, heldUntil] = [0, 0, -Infinity, -Infinity];
  let [isRefused, isTold] = [false, false];

  return {
    dueAt: (time) => {
      if (phase === 'idle' && unused === 0 && time >= askAgainAt) ask(atOnce);
      if (phase === 'failed' || unused > 0) return time;
      return phase === 'asking' ? Infinity : askAgainAt;
    },
    take: () => {
      unused -= 1;
      inUse += 1;
    },
    over: (ended) => {
      inUse -= 1;
      if (phase === 'failed') return;
      news.add(ended);
      if (ended === 'limited' || (inUse === 0 && atOnce === 1)) tell();
      else telling.set();
    },
    hold: (until) => {
      unused = 0;
      heldUntil = Math.max(heldUntil, until);
      news.hold(until - now());
    },
  };

  function tell(): void {
    if (phase === 'idle') ask(isRefused ? atOnce : 0);
    settleLater();
  }

  /** What nobody has taken by then goes back. */
  function settleLater(): void {
    if (phase === 'asking' || unused > 0) telling.set();
  }

  /** What is not used goes back with it. */
  function ask(wanted: number): void {
    telling.cancel();
    [phase, unused] = ['asking', 0];
    try {
      const granted = ledger.turn({ kind, limit, inUse, wanted, ...news.take() });
      if (granted instanceof Promise) void granted.then((late) => answered(wanted, late), failed).then(arrived);
      else answered(wanted, granted);
    } catch (error) {
      failed(error);
    }
  }

  function answered(wanted: number, { slots, again, wait, why }: Granted): void {
    [phase, unused, isRefused] = ['idle', slots, wanted > 0 && slots === 0];
    askAgainAt = isRefused ? now() + again : -Infinity;
    if (slots > 1) telling.set();
    if (!isRefused) isTold = false;
    else if (!isTold && wait > worthTelling && now() >= heldUntil) {
      isTold = true;
      options.onWait(wait, why);
    }
  }

  function arrived(): void {
    changed();
    if (!news.isEmpty()) telling.set();
    settleLater();
  }

  function failed(error: unknown): void {
    phase = 'failed';
    options.onFailure(error);
  }
}

interface Timer {
  set(): void;
  cancel(): void;
}

/** Rings once, however often it is set. */
function createTimer(later: Later, ring: () => void): Timer {
  let cancel: (() => void) | undefined;
  return {
    set: () => {
      cancel ??= later(lateness, () => {
        cancel = undefined;
        ring();
      });
    },
    cancel: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** What a ledger has not been told yet. */
interface News {
  add(ended: Ended): void;
  hold(milliseconds: number): void;
  isEmpty(): boolean;
  /** All of it, once. */
  take(): Pick<Share, 'over' | 'ended' | 'heldUntil'>;
}

function createNews({ now }: Ledger): News {
  let times: number[] = [];
  let ended: Ended | undefined;
  let heldUntil = 0;
  return {
    add: (how) => {
      if (how !== 'unsent') times.push(now());
      ended = worst(ended, how);
    },
    hold: (milliseconds) => {
      heldUntil = Math.max(heldUntil, now() + milliseconds);
    },
    isEmpty: () => ended === undefined && heldUntil === 0,
    take: () => {
      const told = { over: countsOf(times), ended, heldUntil };
      [times, ended, heldUntil] = [[], undefined, 0];
      return told;
    },
  };
}

function worst(one: Ended | undefined, other: Ended): Ended {
  if (one === 'limited' || other === 'limited') return 'limited';
  return one === 'done' ? 'done' : other;
}
