import { CliError } from '../base/errors.ts';
import type { Exchange } from '../client/exchange.ts';
import { claimTimer } from '../ledger/claim-timer.ts';
import {
  fatalExits,
  type Ledger,
  type Owner,
  type RunTerms,
  type Settled,
  settlementOf,
  type Verdict,
} from '../ledger/ledger.ts';
import type { StopSignals } from '../session/session.ts';
import { idOf, storedReason } from './report.ts';
import { type Clock, createOutage, outageStop, type OutageOptions } from './outage.ts';
import { createAlarm } from './alarm.ts';
import { createRowBuffer } from './row-buffer.ts';
import type { Outcome, Ready } from './row.ts';
import { createStop, createStreak, type Stopped, stoppedBy } from './stop.ts';

export interface EngineOptions {
  readonly ledger: Pick<Ledger, 'claim' | 'settle'>;
  /** The run, and which rows it may claim. */
  readonly terms: RunTerms;
  /** The due rows in batches, read only as needed. */
  readonly rows: AsyncIterable<readonly Ready[]>;
  /** Prepares the request of a row. */
  readonly exchange: (content: string) => Pick<Exchange<unknown>, 'slot' | 'send'>;
  /** Tries to connect; sends no request. */
  readonly reachable: () => Promise<boolean>;
  /** Whether a row that is about to be sent is left out. */
  readonly leavesOut?: ((content: string) => boolean | Promise<boolean>) | undefined;
  /** The number of rows in flight at most, and so of rows that a crash leaves unsure. */
  readonly concurrency: number;
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

/** For the ledger: the outcome of a row, or that it was not sent and will be sent later, or never. */
type Settling =
  | Exclude<Outcome, { readonly outcome: 'skipped' }>
  | { readonly outcome: 'release'; readonly row: Ready }
  | { readonly outcome: 'withdraw'; readonly row: Ready };

/** Milliseconds after which rows that another process was sending are claimed again. */
const takenPause = 300;

/**
 * Sends rows, each once; see `sendRow`. A claim is on record before its request leaves: a crash at any point leaves at
 * most the rows in flight unsure, and all others are still planned. Returns why it stopped early.
 */
export async function sendRows(options: EngineOptions): Promise<Stopped | undefined> {
  const { ledger, terms, clock, concurrency, onOutcome } = options;
  const alarm = createAlarm();
  const stop = createStop(options.signals, clock.later, alarm.ring);
  const noMoreSlots = new AbortController();
  const streak = createStreak(options.wasAccepted);
  const buffer = createRowBuffer(options.rows, alarm.ring, stop.crash);
  const outage = createOutage({
    ...options,
    resume: alarm.ring,
    giveUp: (last) => stop.request(outageStop(last)),
    crash: stop.crash,
  });
  /** Rows without a claim, which wait for a slot or are being claimed. */
  const waiting = new Set<Ready>();
  /** Claimed rows, whose requests may be out, each with the number of outages when it left. */
  const leaving = new Map<Ready, number>();
  /** Released rows. They are sent before the rows that follow. */
  const released: Ready[] = [];
  /** Rows that another process is sending. */
  const taken: Ready[] = [];
  let claims: { readonly row: Ready; readonly answer: (verdict: Verdict | undefined) => void }[] = [];
  let settlements: Settling[] = [];
  /** The disk may have been full: they are tried again at the end. */
  const unrecorded: Settling[] = [];
  let [recording, printing, outages] = [0, 0, 0];
  let [isCutShort, isWriting] = [false, false];

  for (;;) {
    startRows();
    flush();
    if (stop.reason) noMoreSlots.abort();
    if (stop.isAbandoned) abandonRequests();
    if (isFinished()) break;
    await alarm.wait();
  }
  outage.end();
  const isDone = await isAllDone();
  await buffer.close();
  await retryUnrecorded();
  stop.end();
  return isDone && !isCutShort ? lateReason() : stop.reason;

  function startRows(): void {
    const room = () => outage.limit(concurrency) - waiting.size - leaving.size - printing;
    while (!stop.reason && room() > 0) {
      const row = released.shift() ?? buffer.next();
      if (!row) return;
      waiting.add(row);
      sendRow(row).catch((error: unknown) => fail(row, error));
    }
  }

  /** Slot, claim, send, settle. After a 429 a row is released, so that a crash meanwhile does not make it unsure. */
  async function sendRow(row: Ready): Promise<void> {
    const exchange = options.exchange(row.content);
    for (;;) {
      const free = exchange.slot(noMoreSlots.signal);
      // All rows with a slot are claimed in one turn of the event loop; a promise would delay the claim.
      const slot = free instanceof Promise ? await free : free;
      let isLeftOut = true;
      try {
        const found = options.leavesOut?.(row.content) ?? false;
        isLeftOut = found instanceof Promise ? await found : found;
      } finally {
        if (isLeftOut) slot('unsent');
      }
      if (isLeftOut) return leaveOut(row);
      const isExpired = claimTimer(clock);
      const verdict = await claim(row);
      if (verdict?.verdict === 'yours' && isExpired() && !stop.reason) {
        slot('unsent');
        settle({ outcome: 'release', row });
        continue;
      }
      if (verdict?.verdict !== 'yours' || stop.reason) {
        slot('unsent');
        return leaveUnsent(row, verdict);
      }
      waiting.delete(row);
      leaving.set(row, outages);
      const attempt = await exchange.send(slot);
      if (attempt.outcome === 'failed') return fail(row, attempt.error);
      if (!leaving.delete(row)) return;
      if (attempt.outcome === 'done') return succeed(row, attempt.answer);
      settle({ outcome: 'release', row });
      waiting.add(row);
    }
  }

  /** All claims of one turn of the event loop are one call of the ledger. Undefined if the run stops before. */
  function claim(row: Ready): Promise<Verdict | undefined> {
    return new Promise((answer) => {
      claims.push({ row, answer });
      alarm.ring();
    });
  }

  function settle(settling: Settling): void {
    settlements.push(settling);
    alarm.ring();
  }

  /**
   * The ledger records outcomes together with the claims of the rows that follow. So a crash leaves no more rows unsure
   * than may be in flight. Rows that arrive meanwhile wait for the next step: each takes several round trips to a team's server.
   */
  function flush(): void {
    if (isWriting || settlements.length + claims.length === 0) return;
    const [settled, claimed] = [settlements, claims];
    [settlements, claims] = [[], []];
    const outcomes = settled.map((one) => settledOf(terms.run, one));
    const rows = claimed.map(({ row }) => row);
    const claiming = rows.length > 0 && !stop.reason ? ledger.claim(rows, terms, outcomes) : undefined;
    const written = claiming ?? (settled.length > 0 ? ledger.settle(outcomes) : undefined);
    isWriting = written !== undefined;
    if (settled.length > 0 && written) void reportSettled(settled, written);
    void answerClaims(claimed, claiming);
    const end = () => {
      isWriting = false;
      alarm.ring();
    };
    written?.then(end, end);
  }

  async function answerClaims(group: typeof claims, claiming: Promise<readonly Verdict[]> | undefined): Promise<void> {
    let verdicts: readonly Verdict[] = [];
    try {
      if (claiming) verdicts = await claiming;
    } catch (error) {
      stop.crash(error);
    }
    group.forEach(({ answer }, at) => answer(verdicts[at]));
  }

  function succeed(row: Ready, answer: unknown): void {
    outage.answered();
    streak.accepted();
    settle({ outcome: 'done', row, answer });
  }

  /** The request failed, or the row got no slot. */
  function fail(row: Ready, error: unknown): void {
    const outagesBefore = leaving.get(row);
    if (!(error instanceof CliError)) stop.crash(error);
    const isAbandoned = !leaving.delete(row) && !waiting.delete(row);
    if (isAbandoned) return;
    const failure = error instanceof CliError ? error : unexpected(error);
    if (failure.status !== undefined) outage.answered();
    const kind = outagesBefore === undefined ? 'unsent' : kindOf(failure);
    if (kind === 'unsent') giveBack(row, outagesBefore !== undefined);
    else settleAs(row, kind === 'failed' ? 'failed' : 'unsure', failure);
    if (failure.exit === 'interrupted') isCutShort = true;
    if (failure.exit === 'interrupted' || fatalExits.has(failure.exit)) stop.request(stoppedBy(failure));
    const isLost = kind === 'lost' || (kind === 'unsent' && failure.exit === 'network');
    if (isLost && !stop.reason) outage.begin(failure);
    // A row that an outage has lost is not a failure of the service.
    if (kind === 'failed' || kind === 'unsure' || (kind === 'lost' && outagesBefore === outages))
      countFailure(failure, row.isRetry);
    if (kind === 'lost') outages += 1;
  }

  function settleAs(row: Ready, outcome: 'failed' | 'unsure', { code, message }: CliError): void {
    settle({ outcome, row, code, reason: message });
  }

  function giveBack(row: Ready, isClaimed: boolean): void {
    released.push(row);
    if (isClaimed) settle({ outcome: 'release', row });
    else alarm.ring();
  }

  function countFailure(failure: CliError, isRetry: boolean | undefined): void {
    const reason = streak.failed(failure, isRetry);
    if (reason) stop.request(reason);
  }

  /** The ledger did not grant it, or the run stops. */
  function leaveUnsent(row: Ready, verdict: Verdict | undefined): void {
    waiting.delete(row);
    alarm.ring();
    if (!verdict || verdict.verdict === 'yours') return giveBack(row, verdict !== undefined);
    if (verdict.verdict === 'taken') return retryLater(row, verdict.owner);
    const kind = verdict.verdict;
    if (kind === 'failed') return report({ outcome: 'failed', row, code: 'failed-elsewhere', reason: failedElsewhere });
    if (kind === 'done') return report({ outcome: 'skipped', row, why: verdict.isChanged ? 'changed' : 'this_run' });
    const isUnsure = kind === 'unsure' || verdict.state === 'unsure';
    report({ outcome: 'skipped', row, why: isUnsure ? 'unsure' : 'elsewhere' });
  }

  function leaveOut(row: Ready): void {
    waiting.delete(row);
    settle({ outcome: 'withdraw', row });
  }

  function retryLater(row: Ready, owner: Owner): void {
    if (taken.push(row) > 1) return;
    options.onTaken?.(owner);
    clock.later(takenPause, () => {
      released.push(...taken.splice(0));
      alarm.ring();
    });
  }

  async function reportSettled(group: readonly Settling[], recorded: Promise<unknown>): Promise<void> {
    recording += 1;
    try {
      await recorded;
      for (const one of group) {
        const outcome = outcomeOf(one);
        if (outcome) report(outcome);
      }
    } catch (error) {
      unrecorded.push(...group);
      stop.crash(error);
    }
    recording -= 1;
    alarm.ring();
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
    if (waiting.size + leaving.size + recording + printing + settlements.length > 0) return false;
    return stop.reason !== undefined || isComplete();
  }

  function isComplete(): boolean {
    return buffer.isEmpty() && released.length + taken.length === 0;
  }

  /** A run that stopped after its last row may not know yet that this was the last one. */
  async function isAllDone(): Promise<boolean> {
    const mayBeLate = stop.reason !== undefined && tooLate.has(stop.reason.code) && !stop.isAbandoned;
    if (mayBeLate) await buffer.lookAhead();
    return isComplete();
  }

  /** After a second Ctrl-C the run does not wait for answers. Rows that are being claimed are released afterwards. */
  function abandonRequests(): void {
    const failure = new CliError('unsure', 'left', 'the run was stopped without waiting for the answer');
    isCutShort ||= waiting.size + leaving.size > 0;
    for (const row of leaving.keys()) settleAs(row, 'unsure', failure);
    leaving.clear();
  }

  async function retryUnrecorded(): Promise<void> {
    if (unrecorded.length === 0) return;
    options.makeRoom?.();
    let isSettled = false;
    try {
      await ledger.settle(unrecorded.map((one) => settledOf(terms.run, one)));
      isSettled = true;
    } catch (error) {
      stop.crash(error);
    }
    const left = new Set(released);
    for (const one of unrecorded) {
      const outcome = outcomeOf(one);
      if (outcome && (isSettled || outcome.outcome === 'skipped')) await onOutcome(outcome);
      // A row that was released, and then sent after all, has an outcome of its own.
      else if (!isSettled && (one.outcome !== 'release' || left.delete(one.row))) await onOutcome(unknownLater(one));
    }
  }

  /** A run whose last row is done was not stopped by a signal that came just then. */
  function lateReason(): Stopped | undefined {
    return stop.reason && tooLate.has(stop.reason.code) ? undefined : stop.reason;
  }
}

const tooLate: ReadonlySet<string> = new Set(['interrupted', 'too-many-errors', 'output-unwritable']);
const failedElsewhere = 'another process of this run tried it, and it failed';

/** As the ledger records it. */
function settledOf(run: string, settling: Settling): Settled {
  const { outcome, row } = settling;
  const settled = { run, item: row.item, outcome, line: row.line };
  if (settling.outcome === 'done') return { ...settled, id: idOf(settling.answer) };
  if (settling.outcome === 'release') return settled;
  if (settling.outcome === 'withdraw') return { ...settled, code: 'excluded', reason: 'excluded during the run' };
  return { ...settled, code: settling.code, reason: storedReason(settling.reason) };
}

/** Undefined for a row that is sent later. */
function outcomeOf(settling: Settling): Outcome | undefined {
  if (settling.outcome === 'withdraw') return { outcome: 'skipped', row: settling.row, why: 'excluded' };
  return settling.outcome === 'release' ? undefined : settling;
}

/** The next command will not know how the row ended, so this one does not claim to know it either. */
function unknownLater(settling: Settling): Outcome {
  const reason = `${endOf(settling)}, but this could not be recorded`;
  return { outcome: 'unsure', row: settling.row, code: 'unrecorded', reason };
}

function endOf(settling: Settling): string {
  if (settling.outcome === 'done') return 'it was sent';
  return settling.outcome === 'release' || settling.outcome === 'withdraw' ? 'it was not sent' : settling.reason;
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
