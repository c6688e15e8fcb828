import type { SendHooks } from '../client/exchange.ts';
import { CliError } from '../base/errors.ts';
import {
  fatalExits,
  type Ledger,
  type Owner,
  type RunTerms,
  type Settlement,
  settlementOf,
  type Verdict,
} from '../ledger/ledger.ts';
import type { StopSignals } from '../session/session.ts';
import type { RunLog } from './log.ts';
import { type Clock, createOutage, outageStop, type OutageOptions } from './outage.ts';
import type { Outcome, Ready } from './row.ts';
import { createStop, createStreak, type Stopped, stoppedBy } from './stop.ts';

export interface EngineOptions {
  readonly ledger: Pick<Ledger, 'claim' | 'settle'>;
  /** The run, and which rows it may claim. */
  readonly terms: RunTerms;
  /** The due rows in batches, read only as needed. */
  readonly rows: AsyncIterable<readonly Ready[]>;
  readonly log: Pick<RunLog, 'claimed' | 'settled' | 'released'>;
  readonly send: Send;
  /** Tries to connect; sends no request. */
  readonly reachable: () => Promise<boolean>;
  /** The number of rows in flight at most, and so of rows that a crash leaves unsure. */
  readonly concurrency: number;
  readonly maxErrors?: number | undefined;
  /** The service accepted a row of this run before. */
  readonly wasAccepted: boolean;
  readonly signals: StopSignals;
  readonly clock: Clock;
  /** Called before outcomes that could not be recorded are tried again. */
  readonly makeRoom?: (() => void) | undefined;
  readonly onOutage?: OutageOptions['onOutage'];
  /** Another process is sending rows of this input; this one waits for their outcomes. */
  readonly onTaken?: ((owner: Owner) => void) | undefined;
  /** Called once a row has ended and that is recorded. Its slot stays occupied until the promise resolves. */
  readonly onOutcome: (outcome: Outcome) => Promise<void> | undefined;
}

/** Sends one request; it does not leave if `beforeSend` rejects. Rejects with a CliError that says whether it was done. */
type Send = (content: string, hooks: SendHooks) => Promise<unknown>;

/** A row between its start and its outcome. */
interface Flight {
  readonly row: Ready;
  /** `waiting` for a slot, or to be retried; `leaving`: claimed in the ledger by this process. */
  phase: 'waiting' | 'claiming' | 'leaving';
  /** The number of outages when it left: a row that an outage has lost is not a failure of the service. */
  outages: number;
}

interface ClaimRequest {
  readonly flight: Flight;
  /** Lets the client send it. */
  readonly permit: () => void;
  readonly refuse: (why: Error) => void;
}

/** An outcome that the ledger will record. */
interface PendingSettlement {
  readonly row: Ready;
  readonly settlement: Settlement;
  /** Undefined for a row that was released and will be sent later. */
  readonly outcome?: Outcome;
}

/** Milliseconds after which rows that another process was sending are claimed again. */
const takenPause = 300;

/**
 * Sends rows, each once. A row is started, waits in the client until the rate limit has a slot for it, is claimed in the
 * ledger, is sent, and is settled. The claim is on record before the request: a crash at any point leaves at most the
 * rows in flight unsure, and all others are still planned. Returns why it stopped early.
 */
export async function sendRows(options: EngineOptions): Promise<Stopped | undefined> {
  const { ledger, terms, log, send, clock, concurrency, onOutcome } = options;
  const alarm = createAlarm();
  const stop = createStop(options.signals, clock.later, alarm.ring);
  const streak = createStreak(options.maxErrors, options.wasAccepted);
  const reader = createReader(options.rows, alarm.ring, stop.crash);
  const outage = createOutage({
    ...options,
    resume: alarm.ring,
    giveUp: (last) => stop.request(outageStop(last)),
    crash: stop.crash,
  });
  const flights = new Set<Flight>();
  /** Released rows. They are sent before the rows that follow. */
  const released: Ready[] = [];
  /** Rows that another process is sending. */
  const taken: Ready[] = [];
  let claims: ClaimRequest[] = [];
  let settlements: PendingSettlement[] = [];
  /** The disk may have been full: they are tried again at the end. */
  const unrecorded: PendingSettlement[] = [];
  let [recording, printing, outages] = [0, 0, 0];
  let isCutShort = false;

  for (;;) {
    startRows();
    flush();
    if (stop.reason) cancelWaiting();
    if (stop.isAbandoned) abandonFlights();
    if (isFinished()) break;
    await alarm.wait();
  }
  outage.end();
  const isDone = await isAllDone();
  await reader.close();
  await retryUnrecorded();
  stop.end();
  return isDone && !isCutShort ? lateReason() : stop.reason;

  /** Hands rows to the client while there is room. */
  function startRows(): void {
    const room = () => outage.limit(concurrency) - flights.size - printing;
    while (!stop.reason && room() > 0) {
      const row = released.shift() ?? reader.next();
      if (!row) return;
      const flight: Flight = { row, phase: 'waiting', outages };
      flights.add(flight);
      send(row.content, { beforeSend: () => requestClaim(flight), beforeRetry: () => release(flight) }).then(
        (answer) => succeed(flight, answer),
        (error: unknown) => fail(flight, error),
      );
    }
  }

  /** The client has a slot for it. All requests of one turn of the event loop make one claim. */
  function requestClaim(flight: Flight): Promise<void> {
    if (stop.reason) return Promise.reject(stopped());
    flight.phase = 'claiming';
    return new Promise((permit, refuse) => {
      claims.push({ flight, permit, refuse });
      alarm.ring();
    });
  }

  /** It waits for its retry. A crash meanwhile must not make it unsure. */
  function release(flight: Flight): void {
    if (flight.phase !== 'leaving') return;
    flight.phase = 'waiting';
    settle({ row: flight.row, settlement: 'release' });
  }

  /**
   * Outcomes first: the ledger writes them before, or together with, the claims of the rows that follow. So a crash
   * leaves no more rows unsure than may be in flight.
   */
  function flush(): void {
    const [settled, claimed] = [settlements, claims];
    [settlements, claims] = [[], []];
    if (settled.length > 0) void recordSettlements(settled);
    if (stop.reason) for (const { refuse } of claimed) refuse(stopped());
    else if (claimed.length > 0) void claim(claimed);
  }

  async function claim(group: readonly ClaimRequest[]): Promise<void> {
    try {
      const verdicts = await ledger.claim(
        group.map(({ flight }) => flight.row.digest),
        terms,
      );
      const granted = group.filter((_, index) => verdicts[index]?.verdict === 'yours');
      for (const { flight } of granted) [flight.phase, flight.outages] = ['leaving', outages];
      log.claimed(granted.map(({ flight }) => flight.row));
      group.forEach(({ permit, refuse }, index) => {
        const verdict = verdicts[index];
        if (verdict?.verdict !== 'yours') refuse(new NotGranted(verdict));
        else if (stop.reason) refuse(stopped());
        else permit();
      });
    } catch (error) {
      stop.crash(error);
      for (const { refuse } of group) refuse(stopped());
    }
  }

  function succeed(flight: Flight, answer: unknown): void {
    if (!flights.delete(flight)) return;
    outage.answered();
    streak.accepted();
    settle({ row: flight.row, settlement: 'done', outcome: { outcome: 'done', row: flight.row, answer } });
  }

  function fail(flight: Flight, error: unknown): void {
    if (!flights.delete(flight)) return;
    alarm.ring();
    if (error instanceof NotGranted) return skip(flight.row, error.verdict);
    if (!(error instanceof CliError)) stop.crash(error);
    const failure = error instanceof CliError ? error : unexpected(error);
    if (failure.status !== undefined) outage.answered();
    const kind = flight.phase === 'leaving' ? kindOf(failure) : 'unsent';
    if (kind === 'failed') settleAs(flight.row, 'failed', failure);
    else if (kind === 'unsure' || kind === 'lost') settleAs(flight.row, 'unsure', failure);
    else requeue(flight);
    if (failure.exit === 'interrupted') isCutShort = true;
    if (failure.exit === 'interrupted' || fatalExits.has(failure.exit)) stop.request(stoppedBy(failure));
    const isLost = kind === 'lost' || (kind === 'unsent' && failure.exit === 'network');
    if (isLost && !stop.reason) outage.begin(failure);
    if (kind === 'failed' || kind === 'unsure' || (kind === 'lost' && flight.outages === outages))
      countFailure(failure, flight.row.isRetry);
    if (kind === 'lost') outages += 1;
  }

  function settleAs(row: Ready, outcome: 'failed' | 'unsure', { code, message }: CliError): void {
    settle({ row, settlement: outcome, outcome: { outcome, row, code, reason: message } });
  }

  function requeue(flight: Flight): void {
    released.push(flight.row);
    release(flight);
  }

  /** Rows that wait for a slot are not sent. */
  function cancelWaiting(): void {
    for (const flight of flights) {
      if (flight.phase !== 'waiting') continue;
      flights.delete(flight);
      released.push(flight.row);
    }
  }

  function countFailure(failure: CliError, isRetry: boolean | undefined): void {
    const reason = streak.failed(failure, isRetry);
    if (reason) stop.request(reason);
  }

  /** The ledger did not grant it. */
  function skip(row: Ready, verdict: Verdict | undefined): void {
    if (verdict?.verdict === 'taken') return retryLater(row, verdict.owner);
    const kind = verdict?.verdict;
    if (kind === 'failed') return report({ outcome: 'failed', row, code: 'failed-elsewhere', reason: failedElsewhere });
    const isUnsure = kind === 'unsure' || (verdict?.verdict === 'elsewhere' && verdict.state === 'unsure');
    report({ outcome: 'skipped', row, why: isUnsure ? 'unsure' : kind === 'elsewhere' ? 'elsewhere' : 'this_run' });
  }

  function retryLater(row: Ready, owner: Owner): void {
    if (taken.push(row) > 1) return;
    options.onTaken?.(owner);
    clock.later(takenPause, () => {
      released.push(...taken.splice(0));
      alarm.ring();
    });
  }

  function settle(settlement: PendingSettlement): void {
    settlements.push(settlement);
    alarm.ring();
  }

  async function recordSettlements(group: readonly PendingSettlement[]): Promise<void> {
    recording += 1;
    try {
      await settleInLedger(group);
      writeLog(group);
      for (const { outcome } of group) if (outcome) report(outcome);
    } catch (error) {
      unrecorded.push(...group);
      stop.crash(error);
    }
    recording -= 1;
    alarm.ring();
  }

  async function settleInLedger(group: readonly PendingSettlement[]): Promise<void> {
    await ledger.settle(group.map(({ row, settlement: outcome }) => ({ run: terms.run, row: row.digest, outcome })));
  }

  function writeLog(group: readonly PendingSettlement[]): void {
    log.released(group.flatMap(({ row, outcome }) => (outcome ? [] : [row])));
    log.settled(group.flatMap(({ outcome }) => outcome ?? []));
  }

  function report(outcome: Outcome): void {
    try {
      const printed = onOutcome(outcome);
      if (!printed) return;
      printing += 1;
      printed.catch(stop.crash).finally(() => {
        printing -= 1;
        alarm.ring();
      });
    } catch (error) {
      stop.crash(error);
    }
  }

  function isFinished(): boolean {
    if (flights.size + recording + printing + settlements.length > 0) return false;
    return stop.reason !== undefined || isComplete();
  }

  function isComplete(): boolean {
    return reader.isEmpty() && released.length + taken.length === 0;
  }

  /** A run that stopped after its last row may not know yet that this was the last one. */
  async function isAllDone(): Promise<boolean> {
    const mayBeLate = stop.reason !== undefined && tooLate.has(stop.reason.code) && !stop.isAbandoned;
    if (mayBeLate) await reader.lookAhead();
    return isComplete();
  }

  /** After a second Ctrl-C the run does not wait for answers. Rows that are being claimed are released afterwards. */
  function abandonFlights(): void {
    const failure = new CliError('unsure', 'left', 'the run was stopped without waiting for the answer');
    isCutShort ||= flights.size > 0;
    for (const flight of flights) {
      if (flight.phase === 'claiming') continue;
      flights.delete(flight);
      if (flight.phase === 'leaving') settleAs(flight.row, 'unsure', failure);
    }
  }

  async function retryUnrecorded(): Promise<void> {
    if (unrecorded.length === 0) return;
    options.makeRoom?.();
    let isSettled = false;
    try {
      await settleInLedger(unrecorded);
      isSettled = true;
      writeLog(unrecorded);
    } catch (error) {
      stop.crash(error);
    }
    const left = new Set(released);
    for (const { row, outcome } of unrecorded) {
      if (isSettled && outcome) await onOutcome(outcome);
      // A row that was released, and then sent after all, has an outcome of its own.
      else if (!isSettled && (outcome || left.delete(row))) await onOutcome(unknownLater(row, outcome));
    }
  }

  /** A run whose last row is done was not stopped by a signal that came just then. */
  function lateReason(): Stopped | undefined {
    return stop.reason && tooLate.has(stop.reason.code) ? undefined : stop.reason;
  }
}

const tooLate: ReadonlySet<string> = new Set(['interrupted', 'too-many-errors', 'output-unwritable']);
const failedElsewhere = 'another process of this run tried it, and it failed';

class NotGranted extends Error {
  readonly verdict: Verdict | undefined;
  constructor(verdict: Verdict | undefined) {
    super('not granted');
    this.verdict = verdict;
  }
}

function stopped(): CliError {
  return new CliError('interrupted', 'interrupted', 'the run was stopped before this row was sent', { done: 'no' });
}

/** The next command will not know how the row ended, so this one does not claim to know it either. */
function unknownLater(row: Ready, outcome: Outcome | undefined): Outcome {
  if (outcome?.outcome === 'skipped') return outcome;
  const sent = outcome?.outcome === 'done' ? 'it was sent' : outcome?.reason;
  const ended = sent ?? 'it was not sent';
  return {
    outcome: 'unsure',
    row,
    code: 'unrecorded',
    reason: `${ended}, but this could not be recorded`,
  };
}

function unexpected(error: unknown): CliError {
  return new CliError('unsure', 'unexpected', String(error), { done: 'unknown' });
}

/**
 * What an error means for its row. `lost`: there was no answer, so the service may be down. `unsent`: the service has
 * certainly not acted, and the row is released.
 */
type FailureKind = 'failed' | 'unsure' | 'lost' | 'unsent';

function kindOf(failure: CliError): FailureKind {
  const settlement = settlementOf(failure);
  if (settlement === 'unsure')
    return failure.status === undefined && failure.exit !== 'interrupted' ? 'lost' : 'unsure';
  return settlement === 'release' ? 'unsent' : 'failed';
}

interface Reader {
  /** The next row; undefined if none has been read yet, or none is left. */
  next(): Ready | undefined;
  isEmpty(): boolean;
  /** Finds out whether a row is left. */
  lookAhead(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps one batch in memory. */
function createReader(
  rows: AsyncIterable<readonly Ready[]>,
  arrived: () => void,
  crash: (error: unknown) => void,
): Reader {
  const reading = rows[Symbol.asyncIterator]();
  let [batch, at]: [readonly Ready[], number] = [[], 0];
  let isEnded = false;
  let pulling: Promise<void> | undefined;
  return {
    next() {
      const row = batch[at];
      if (row) at += 1;
      else if (!isEnded) pulling ??= pull();
      return row;
    },
    isEmpty: () => isEnded && at >= batch.length,
    async lookAhead() {
      if (at >= batch.length && !isEnded) await (pulling ??= pull());
    },
    async close() {
      await pulling;
      await reading.return?.();
    },
  };

  async function pull(): Promise<void> {
    try {
      const { value, done } = await reading.next();
      [batch, at, isEnded] = done ? [[], 0, true] : [value, 0, false];
    } catch (error) {
      isEnded = true;
      crash(error);
    }
    pulling = undefined;
    arrived();
  }
}

interface Alarm {
  ring(): void;
  /** Resolves once it has rung and a turn of the event loop has passed in which it did not ring again. */
  wait(): Promise<void>;
}

/**
 * Answers that arrive one soon after the other are recorded together, and the rows that follow them are claimed
 * together. It rings at most a few times per row in flight, so it cannot ring forever.
 */
function createAlarm(): Alarm {
  let [isRinging, isQuiet, hasRung] = [false, false, false];
  let wake: (() => void) | undefined;
  return {
    ring() {
      isQuiet = false;
      if (!isRinging) setImmediate(listen);
      isRinging = true;
    },
    async wait() {
      if (!hasRung) await new Promise<void>((resolve) => (wake = resolve));
      hasRung = false;
    },
  };

  function listen(): void {
    if (!isQuiet) {
      isQuiet = true;
      setImmediate(listen);
      return;
    }
    [isRinging, hasRung] = [false, true];
    wake?.();
    wake = undefined;
  }
}
