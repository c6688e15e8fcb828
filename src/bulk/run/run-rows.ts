import type { Prepared } from '../row.ts';
import { inputChanged } from '../rows/prints.ts';
import { createAlarm } from './alarm.ts';
import type { Flights } from './flights.ts';
import { createFlights } from './flights.ts';
import type { Outcome } from './report.ts';
import type { Halt, Signals } from './halt.ts';
import { createHalt, stoppedBy } from './halt.ts';
import type { OpenRun } from './open-run.ts';
import type { Clock, OutageOptions } from './outage.ts';
import type { Stopped } from './records.ts';
import type { Summary } from './summary.ts';

export interface RunRowsOptions {
  readonly run: OpenRun;
  /** All rows of the input in batches, also those that were settled before. */
  readonly rows: AsyncIterable<readonly Prepared[]>;
  readonly send: Send;
  /** Tries to connect, and sends nothing. It settles in good time. */
  readonly reachable: () => Promise<boolean>;
  /** How many rows may be on their way at once: so many may be unsure after a crash. */
  readonly concurrency: number;
  /** This many consecutive rows that failed or are unsure stop the run (default: 20). */
  readonly maxErrors?: number | undefined;
  /**
   * Rows wait before they leave. Each intent is recorded when its row does, and the disk has it before, so that a power
   * cut cannot make a row be sent twice.
   */
  readonly paced?: boolean | undefined;
  readonly signals: Signals;
  readonly clock: Clock;
  readonly onOutage?: OutageOptions['onOutage'];
  /** Told of each row that is settled; where it gives a promise, the row's place stays taken until that resolves. */
  readonly onOutcome?: ((outcome: Outcome) => Promise<void> | undefined) | undefined;
}

/**
 * Calls `leaving` when nothing has to be waited for any more, and sends when what that gives has resolved; not at all
 * where that throws. Rejects with a CliError, by whose `exit`, `done` and `status` it is known what became of the row.
 */
type Send = (content: string, leaving: () => Promise<void> | undefined) => Promise<unknown>;

/** Sends what was never sent, and records what it does before and after; gives the numbers of the whole run. */
export async function runRows(options: RunRowsOptions): Promise<Summary> {
  const { run, clock, signals } = options;
  const alarm = createAlarm();
  const halt = createHalt(signals, clock.later, alarm.ring);
  const flights = createFlights(options, halt, alarm.ring);
  for (;;) {
    const boarded = flights.board();
    const why = fault(flights.write);
    if (why !== undefined) halt.crash(why);
    flights.launch(boarded);
    if (flights.areOver()) break;
    await alarm.rung();
  }
  await flights.close();
  const why = fault(() => {
    flights.write();
    run.end(endOf(halt, flights));
  });
  if (why !== undefined) halt.crash(why);
  halt.end();
  return { ...run.summary(flights.skipped), stopped: why === undefined ? endOf(halt, flights) : halt.stopped };
}

/** Only a run whose every row is settled is finished, and that one is, even where it was just to be stopped. */
function endOf({ stopped }: Halt, { left }: Flights): Stopped | undefined {
  if (left !== 0) return stopped ?? stoppedBy(inputChanged('the input'));
  return stopped && tooLate.has(stopped.code) ? undefined : stopped;
}

const tooLate: ReadonlySet<string> = new Set(['interrupted', 'too-many-errors', 'output-unwritable']);

function fault(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
