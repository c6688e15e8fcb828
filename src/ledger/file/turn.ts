import type { Later } from '../../base/host.ts';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { unsafe } from '../../base/errors.ts';
import { fsError } from '../../base/files.ts';
import { sleep } from '../../base/sleep.ts';
import { acquire, type Claim, nameOf, type LockOwner } from '../../base/lock.ts';
import { taken } from './append.ts';

/** The right to read and write the ledger, for one process at a time. */
export interface Turn {
  /** Resolves to true if another process may have written since. */
  take(): Promise<boolean>;
  /** Throws if this process has lost it, which happens if it was stopped for long. */
  refuseLost(): void;
  /** Ends it, unless it may be kept and no other process waits. */
  pass(mayKeep: boolean): void;
}

export interface TurnOptions {
  readonly path: string;
  readonly owner: LockOwner;
  readonly now: () => number;
  readonly later: Later;
  readonly random: () => number;
  /** Ends the wait for the first turn: until then, this process has nothing to record. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the process that has the turn once this one has waited for some seconds. */
  readonly onWait?: ((holder: string) => void) | undefined;
}

/** Milliseconds after which a process that does nothing gives its kept turn up, or looks for one that waits. */
const keptFor = 10;
/** Milliseconds between two looks of a busy process for others: a look costs as much as a turn. */
const betweenLooks = 4;
/** Milliseconds between two looks, at most. */
const longestPause = 8;
/** Looks until it fails: some 100 seconds, longer than a silent process elsewhere keeps its turn. */
const patience = 24_000;
/** Looks until it says that it waits: some 5 seconds. */
const silentLooks = 1_000;

export function createTurn({ path, owner, now, later, random, signal, onWait }: TurnOptions): Turn {
  /** A process that waits creates it; the one that has the turn removes it and passes the turn on. */
  const wanted = `${path}.wanted`;
  let claim: Claim | undefined;
  let [isIdle, isInUse, mustYield, hadTurn] = [false, false, false, false];
  let lookedAt = 0;
  let fault: unknown;
  let cancelLook = nothing;
  return {
    async take() {
      if (fault !== undefined) throw fault;
      isInUse = true;
      if (claim?.held) return false;
      // Without a pause it would be the first one to take it again.
      if (mustYield) await sleep(longestPause, later);
      mustYield = false;
      await wait();
      hadTurn = true;
      return true;
    },
    refuseLost,
    pass(mayKeep) {
      [isInUse, isIdle] = [false, false];
      if (!claim?.held) return;
      if (!mayKeep || (Math.abs(now() - lookedAt) >= betweenLooks && yields())) release();
      else if (cancelLook === nothing) look();
    },
  };

  async function wait(): Promise<void> {
    for (let looked = 0; looked < patience; looked++) {
      claim = acquire(path, { ...owner, later });
      if (claim.held) return;
      if (!hadTurn && signal?.aborted) throw Object.assign(new Error('interrupted'), { name: 'AbortError' });
      if (looked === silentLooks) onWait?.(nameOf(claim.by));
      writeFileSync(wanted, '', { mode: 0o600 });
      await sleep(1 + random() * (longestPause - 1), later);
    }
    const by = claim?.held === false ? nameOf(claim.by) : 'another process';
    const hint = 'it may be stopped or very slow: continue it or end it, then run the same command again';
    throw unsafe('ledger-busy', `${by} has held ${path} for too long`, hint);
  }

  function yields(): boolean {
    lookedAt = now();
    if (!existsSync(wanted)) return false;
    rmSync(wanted, { force: true });
    mustYield = true;
    return true;
  }

  /** Again and again while it is kept. */
  function look(): void {
    cancelLook = later(keptFor, () => {
      cancelLook = nothing;
      if (isInUse || !claim?.held) return;
      if (isIdle || yields()) return release();
      isIdle = true;
      look();
    });
  }

  function release(): void {
    cancelLook();
    cancelLook = nothing;
    try {
      if (claim?.held) claim.release();
    } catch (error) {
      if (!fsError(error)) throw error;
      // The next turn reports it.
      fault = error;
    }
    claim = undefined;
  }

  function refuseLost(): void {
    if (claim?.held && claim.isHeld()) return;
    // Its heartbeat would keep this process running.
    release();
    throw taken(path);
  }
}

function nothing(): void {}
