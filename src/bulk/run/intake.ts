import type { Prepared } from '../row.ts';
import { digestOf } from './check.ts';
import type { Ledger } from './ledger.ts';
import { states } from './records.ts';

/** A row on its way. */
export interface Flight {
  readonly row: Prepared;
  readonly content: string;
  readonly digest: number;
  /** See Streak. */
  readonly refusedBefore: number;
  /** Sent before, and nobody knows what came of it. */
  readonly wasUnsure: boolean;
}

export interface IntakeOptions {
  readonly rows: AsyncIterable<readonly Prepared[]>;
  readonly ledger: Ledger;
  readonly allowUnsure: boolean;
  /** How many were refused since the last one that was taken. */
  readonly refusedBefore: () => number;
  /** False when no more are wanted. */
  readonly refuse: (row: Prepared, reason: string) => boolean;
  /** More rows have come, or the last one has been. */
  readonly arrived: () => void;
  readonly crash: (error: unknown) => void;
}

export interface Intake {
  /** The next one to be sent; undefined where there is none at the moment. */
  next(): Flight | undefined;
  /** How many an earlier part had settled. */
  readonly skipped: number;
  /** How many there were so far, skipped ones too. */
  readonly taken: number;
  readonly isEmpty: boolean;
  close(): Promise<void>;
}

/** Reads no further than it is asked to: one batch is in memory. */
export function createIntake({ rows, ledger, allowUnsure, ...options }: IntakeOptions): Intake {
  const reading = rows[Symbol.asyncIterator]();
  const highest = ledger.highest();
  let [batch, at]: [readonly Prepared[], number] = [[], 0];
  let [taken, skipped, isEmpty] = [0, 0, false];
  let pulling: Promise<void> | undefined;
  return {
    next() {
      for (let row = batch[at]; row; row = batch[at]) {
        at += 1;
        taken += 1;
        if (row.number <= highest && isSettled(row, ledger, allowUnsure)) skipped += 1;
        else if (!('reason' in row)) return flight(row, row.content);
        else if (!options.refuse(row, row.reason)) return undefined;
      }
      if (!isEmpty) pulling ??= pull();
      return undefined;
    },
    get skipped() {
      return skipped;
    },
    get taken() {
      return taken;
    },
    get isEmpty() {
      return isEmpty;
    },
    async close() {
      await pulling;
      await reading.return?.();
    },
  };

  async function pull(): Promise<void> {
    try {
      const { value, done } = await reading.next();
      [batch, at, isEmpty] = done ? [[], 0, true] : [value, 0, false];
    } catch (error) {
      isEmpty = true;
      options.crash(error);
    }
    pulling = undefined;
    options.arrived();
  }

  function flight(row: Prepared, content: string): Flight {
    const wasUnsure = row.number <= highest && ledger.stateOf(row.number) === states.unsure;
    return { row, content, digest: digestOf(content), refusedBefore: options.refusedBefore(), wasUnsure };
  }
}

/** Whether an earlier part left nothing to be done about it. */
export function isSettled(row: Prepared, ledger: Ledger, allowUnsure: boolean): boolean {
  const state = ledger.stateOf(row.number);
  // One that was refused may have been mended since.
  if (state === states.refused) return 'reason' in row;
  const isUnsure = state === states.unsure || state === states.sent;
  return state !== states.unsent && !(allowUnsure && isUnsure);
}
