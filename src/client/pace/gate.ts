import type { Later } from '../../base/sleep.ts';
import { countsOf, type Grant, recentCounts, type Report, type SlotSource, sumOf, worst } from './minute.ts';
import type { KnownPace, RequestEnd } from './pace.ts';

export interface GateOptions {
  readonly source: SlotSource;
  readonly kind: Report['kind'];
  /** See `Report`. */
  readonly limits: readonly KnownPace[];
  /** The clock of the source. */
  readonly now: () => number;
  readonly later: Later;
  /** Called once for each wait that the user cannot expect: a run may know its own rate. */
  readonly onWait: (milliseconds: number, why: Grant['why']) => void;
}

/** Knows when the next request may be sent. */
interface Gate {
  /** When a request may be sent; Infinity if something has to happen first. `waiting`: how many slots can be used. */
  dueAt(time: number, waiting: number): number;
  /** When a slot may be free, at the latest; `dueAt` is when it asks again. */
  freeAt(): number;
  take(): void;
  finish(ended: RequestEnd): void;
  hold(until: number): void;
  /** Returns slots that other processes can use. */
  close(): Promise<void>;
}

/** A run takes slots for this many milliseconds in one request and returns unused ones. */
const lease = 50;
/** Milliseconds until results are reported if no slot is requested meanwhile. */
const reportDelay = 50;
/** Shorter waits are not reported to the user. */
const shortestReportedWait = 1_000;

/** A gate that gets its slots from a source. `changed` is called if it may open sooner than it returned. */
export function createGate(options: GateOptions, changed: () => void): Gate {
  const { source, kind, limits, now } = options;
  const rates = limits.map(({ perWindow, window }) => perWindow / window);
  const slotsAtOnce = kind === 'run' ? 1 + Math.floor(lease * Math.min(...rates)) : 1;
  const unreported = createUnreported(now, limits.length > 0);
  const reportTimer = createTimer(options.later, () => {
    if (unused === 0 && unreported.ended() === undefined) return;
    report();
    changed();
  });
  let asking: Promise<void> | undefined;
  /** Requests of this process that count. */
  let own: Report['finished'] = [];
  let [unused, inUse, askAgainAt, freeAt, heldUntil] = [0, 0, -Infinity, -Infinity, -Infinity];
  let [isRefused, isHeld, hasWarned, isClosed] = [false, false, false, false];

  return {
    dueAt(time, waiting) {
      if (heldUntil > time) return heldUntil;
      if (!asking && unused === 0 && time >= askAgainAt) ask(Math.max(waiting, slotsAtOnce));
      if (unused > 0) return time;
      return asking ? Infinity : askAgainAt;
    },
    take() {
      unused -= 1;
      inUse += 1;
    },
    finish(ended) {
      inUse -= 1;
      // Another process has sent this row: the slot is for the next one, and not for the end of the line.
      if (ended === 'unsent' && kind === 'run' && !isHeld) unused += 1;
      else unreported.add(ended);
      if (ended === 'limited') [unused, isHeld] = [0, true];
      if (isHeld) askAgainAt = -Infinity;
      if (!source.isShared || isClosed) return;
      if (ended === 'limited' || (kind === 'single' && inUse === 0)) report();
      else reportTimer.set();
    },
    freeAt: () => freeAt,
    hold(until) {
      unused = 0;
      heldUntil = Math.max(heldUntil, until);
      unreported.hold(until);
    },
    async close() {
      isClosed = true;
      reportTimer.cancel();
      await asking;
      if (source.isShared && (unused > 0 || unreported.ended() !== undefined)) ask(0);
      await asking;
      await source.close?.();
    },
  };

  function report(): void {
    if (asking) reportTimer.set();
    else ask(isRefused ? slotsAtOnce : 0);
  }

  function ask(wanted: number): void {
    reportTimer.cancel();
    const results = unreported.takeAll();
    const granted = source.report({ kind, limits, inUse, wanted, ...results });
    own = recentCounts([...own, ...results.finished], limits, now());
    unused = 0;
    if (granted instanceof Promise) asking = granted.then((answer) => answered(wanted, answer)).then(afterAnswer);
    else answered(wanted, granted);
  }

  function answered(wanted: number, { slots, again, wait, why }: Grant): void {
    asking = undefined;
    // A 429 has arrived meanwhile.
    if (unreported.ended() === 'limited') return;
    isRefused = wanted > 0 && slots === 0;
    if (wanted > 0) isHeld = why === 'held';
    unused += slots;
    askAgainAt = isRefused ? now() + again : -Infinity;
    freeAt = isRefused ? now() + wait : -Infinity;
    if (!isRefused) hasWarned = false;
    else if (!hasWarned && wait > shortestReportedWait && now() >= heldUntil && isUnexpected()) {
      hasWarned = true;
      options.onWait(wait, why);
    }
  }

  function isUnexpected(): boolean {
    const [longest] = limits;
    return kind === 'single' || isHeld || (longest !== undefined && sumOf(own) + inUse < longest.perWindow);
  }

  function afterAnswer(): void {
    // A timer would keep the process alive.
    if (isClosed) return;
    changed();
    if (unused > 0 || unreported.ended() !== undefined) reportTimer.set();
  }
}

interface Timer {
  set(): void;
  cancel(): void;
}

/** Fires once, even if it is set several times. */
function createTimer(later: Later, fire: () => void): Timer {
  let cancel: (() => void) | undefined;
  return {
    set: () => {
      cancel ??= later(reportDelay, () => {
        cancel = undefined;
        fire();
      });
    },
    cancel: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Results that are not reported yet. */
interface Unreported {
  add(ended: RequestEnd): void;
  hold(until: number): void;
  /** The worst result. */
  ended(): RequestEnd | undefined;
  takeAll(): Pick<Report, 'finished' | 'ended' | 'heldUntil'>;
}

function createUnreported(now: () => number, isCounting: boolean): Unreported {
  let times: number[] = [];
  let ended: RequestEnd | undefined;
  let heldUntil = 0;
  return {
    add: (how) => {
      if (isCounting && how !== 'unsent') times.push(now());
      ended = worst(how, ended);
    },
    hold: (until) => {
      heldUntil = Math.max(heldUntil, until);
    },
    ended: () => ended,
    takeAll: () => {
      const all = { finished: countsOf(times), ended, heldUntil };
      [times, ended, heldUntil] = [[], undefined, 0];
      return all;
    },
  };
}
