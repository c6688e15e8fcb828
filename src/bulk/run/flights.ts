import { CliError } from '../../errors.ts';
import { fateOf } from './fate.ts';
import type { Halt } from './halt.ts';
import { stoppedBy } from './halt.ts';
import type { Flight } from './intake.ts';
import { createIntake } from './intake.ts';
import { createIntents } from './intents.ts';
import { createOutage, givenUp } from './outage.ts';
import { createPage } from './page.ts';
import { createReport } from './report.ts';
import type { RunRowsOptions } from './run-rows.ts';
import { createStreak, tooMany } from './streak.ts';

/** The rows on their way: taken in turn by turn, sent once that is recorded, and recorded when they have come back. */
export interface Flights {
  /** As many as there is room for, with what else is to be recorded about them. */
  board(): readonly Flight[];
  write(): void;
  launch(boarded: readonly Flight[]): void;
  areOver(): boolean;
  readonly skipped: number;
  /** How many of the run's rows are neither settled nor on their way; less than none where there were more. */
  readonly left: number;
  close(): Promise<void>;
}

export function createFlights(options: RunRowsOptions, halt: Halt, changed: () => void): Flights {
  const { run, rows, clock, reachable, onOutage, send, concurrency, maxErrors = 20, paced = false } = options;
  const page = createPage(run, clock);
  const report = createReport(page, options.onOutcome, { changed, crash: halt.crash });
  const intents = createIntents({ run, page, report, halt, paced, changed });
  const streak = createStreak(maxErrors);
  const giveUp = (last: CliError) => halt.stop(givenUp(last));
  const outage = createOutage({ clock, reachable, goOn: changed, onOutage, giveUp, crash: halt.crash });
  const intake = createIntake({
    rows,
    ledger: run.ledger,
    allowUnsure: run.allowUnsure,
    refusedBefore: streak.taken,
    refuse(row, reason) {
      report.refused(row, reason);
      if (streak.refused()) halt.stop(tooMany(maxErrors, 'usage', reason));
      return halt.stopped === undefined;
    },
    arrived: changed,
    crash: halt.crash,
  });
  /** With the turn in which each left. */
  const flying = new Map<Flight, number>();
  const again: Flight[] = [];
  let [turn, lossTurn] = [0, 0];
  return {
    board() {
      turn += 1;
      const boarded: Flight[] = [];
      const room = outage.width(concurrency) - intents.waiting - flying.size - report.pending;
      while (boarded.length < room && !halt.stopped) {
        const flight = again.shift() ?? intake.next();
        if (!flight) break;
        intents.announce(flight);
        boarded.push(flight);
      }
      return boarded;
    },
    write: page.write,
    launch(boarded) {
      for (const flight of boarded) {
        if (halt.stopped) putBack(flight, intents.withdraw);
        else launch(flight);
      }
    },
    areOver() {
      if (halt.isLeft) abandon();
      if (halt.stopped) again.push(...intents.recall());
      const isIdle = intents.waiting + flying.size + report.pending === 0;
      return halt.isLeft || (isIdle && (halt.stopped !== undefined || (intake.isEmpty && again.length === 0)));
    },
    get skipped() {
      return intake.skipped;
    },
    get left() {
      return run.rows - intake.taken + again.length;
    },
    async close() {
      outage.end();
      await intake.close();
    },
  };

  function launch(flight: Flight): void {
    const sending = send(flight.content, () => leave(flight));
    if (!flying.has(flight)) intents.wait(flight);
    const fallen = (error: unknown) => fell(flight, error);
    sending.then((answer) => landed(flight, answer), fallen);
  }

  function leave(flight: Flight): Promise<void> | undefined {
    const ready = intents.leave(flight);
    flying.set(flight, turn);
    return ready;
  }

  function landed(flight: Flight, answer: unknown): void {
    if (!flying.delete(flight)) return;
    outage.over();
    streak.done();
    report.done(flight.row, answer);
    changed();
  }

  function fell(flight: Flight, error: unknown): void {
    const sentIn = flying.get(flight);
    if (intents.stay(flight)) {
      again.push(flight);
      return halt.crash(error);
    }
    if (!flying.delete(flight)) return;
    changed();
    if (error instanceof CliError) return meet(flight, error, sentIn);
    report.unsure(flight.row, { exit: 'unexpected', code: 'unexpected', message: String(error) });
    halt.crash(error);
  }

  function meet(flight: Flight, error: CliError, sentIn = turn): void {
    if (error.status !== undefined) outage.over();
    const fate = fateOf(error);
    if (fate === 'failed') report.failed(flight, error);
    else if (fate === 'unsure' || fate === 'lost') report.unsure(flight.row, error);
    else putBack(flight);
    if (fate === 'barred' || error.exit === 'interrupted') halt.stop(stoppedBy(error));
    if (fate === 'lost' || fate === 'unreached') outage.begin(error);
    const counts = fate === 'failed' || fate === 'unsure' || (fate === 'lost' && sentIn > lossTurn);
    if (counts && streak.failed(flight.refusedBefore)) halt.stop(tooMany(maxErrors, error.exit, error.message));
    if (fate === 'lost') lossTurn = turn;
  }

  function putBack(flight: Flight, withdraw = report.unsent): void {
    again.push(flight);
    withdraw(flight);
  }

  function abandon(): void {
    for (const { row } of flying.keys()) report.unsure(row, left);
    flying.clear();
  }
}

const left = { exit: 'unsure', code: 'left', message: 'the run was left while it was being sent' } as const;
