import type { ExitName } from '../../errors.ts';
import { readJournal } from '../../journal-lines.ts';
import type { Ledger } from './ledger.ts';
import type { RejectedRecord, RowsRecord } from './records.ts';
import { form, isRunRecord, states } from './records.ts';

/** Why a row was not done, or is not known to be. */
export interface Verdict {
  readonly number: number;
  /** 0 where it is not known. */
  readonly line: number;
  readonly outcome: 'failed' | 'unsure';
  readonly exit: ExitName;
  readonly code: string;
  readonly reason: string;
}

export interface Verdicts {
  /** Undefined for a row that was done, or not yet sent. Cheapest when asked in the order of the journal. */
  of(number: number): Verdict | undefined;
  close(): void;
}

const cutShort = 'the run ended without a word while it was being sent';

/** The last word on each row, found in the journal when it is asked for, so that none of them is held in memory. */
export function openVerdicts(path: string, ledger: Ledger): Verdicts {
  const lines = new Map(ledger.inFlight().map(({ number, line }) => [number, line]));
  /** The pages read last: rows that were on their way together are near each other, in any order. */
  const pages = new Map<number, readonly RejectedRecord[]>();
  let [reading, next]: [Reading | undefined, number] = [undefined, 0];
  return {
    of(number) {
      const state = ledger.stateOf(number);
      if (state === states.sent) return { ...unknown, number, line: lines.get(number) ?? 0 };
      if (state < states.failed) return undefined;
      const record = pageAt(ledger.placeOf(number)).find(([one]) => one === number);
      return record && verdictOf(record);
    },
    close: () => void reading?.return(undefined),
  };

  function pageAt(at: number): readonly RejectedRecord[] {
    const known = pages.get(at);
    if (known) return known;
    if (!reading || at < next) {
      reading?.return(undefined);
      [reading, next] = [readJournal(path, form, { from: at }), at];
    }
    for (const { record, next: after } of resting(reading)) {
      const [here, page] = [next, isRunRecord(record) && record[0] === 'rows' ? record[5] : []];
      next = after;
      if (page.length > 0) keep(here, page);
      if (here >= at) return page;
    }
    return [];
  }

  function keep(at: number, page: readonly RejectedRecord[]): void {
    pages.set(at, page);
    const [oldest] = pages.keys();
    if (pages.size > mostPages && oldest !== undefined) pages.delete(oldest);
  }
}

const mostPages = 64;

/** From the first row to the last. */
export function* verdictsIn(path: string, ledger: Ledger): Generator<Verdict> {
  const verdicts = openVerdicts(path, ledger);
  try {
    const highest = ledger.highest();
    for (let number = 1; number <= highest; number++) {
      const verdict = verdicts.of(number);
      if (verdict) yield verdict;
    }
  } finally {
    verdicts.close();
  }
}

/** What is to be recorded of rows that were being sent when the run ended without a word. */
export function cutShortRecord(ledger: Ledger): RowsRecord | undefined {
  const rows = ledger.inFlight();
  if (rows.length === 0) return undefined;
  const { exit, code, reason } = unknown;
  return ['rows', 0, [], [], [], rows.map(({ number, line }) => [number, line, states.unsure, exit, code, reason])];
}

const unknown = { outcome: 'unsure', exit: 'unsure', code: 'cut-short', reason: cutShort } as const;

type Reading = ReturnType<typeof readJournal>;

/** A loop over it may be left, and taken up again where it was. */
function resting(reading: Reading): Iterable<{ readonly record: unknown; readonly next: number }> {
  return { [Symbol.iterator]: () => ({ next: () => reading.next() }) };
}

function verdictOf([number, line, state, exit, code, reason]: RejectedRecord): Verdict {
  return { number, line, outcome: state === states.unsure ? 'unsure' : 'failed', exit, code, reason };
}
