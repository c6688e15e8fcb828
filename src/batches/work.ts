import { type CliError, unsafe } from '../base/errors.ts';
import { type Host, startAge } from '../base/host.ts';
import type { Database } from '../base/transaction.ts';
import type { Attempt, Exchange } from '../client/exchange.ts';
import type { Release } from '../client/pace.ts';
import type { BatchPace, Sender, StopSignals } from '../session/session.ts';
import type { Batch } from '../store/batch.ts';
import type { Resend } from '../store/decide.ts';
import { longestClaim } from '../store/schema.ts';
import { countReached } from '../store/tally.ts';
import { hasAny } from '../store/views.ts';
import { type Answer, beat, claim, type Claim, settle, type Settled } from '../store/work.ts';
import { failureOf, idOf, knownReason } from './answers.ts';
import { Outage, type OutageOptions } from './outage.ts';
import { Stop, stoppedBy, Streak } from './stop.ts';
import { Workers } from './workers.ts';

export interface WorkOptions {
  readonly database: Database;
  readonly batch: Batch;
  readonly worker: string;
  /** Whether only rows of the file are sent: a resume sends all that wait. */
  readonly isOfFile: boolean;
  readonly resend: readonly Resend[];
  /** How many rows the batch reaches, of `--first`. */
  readonly first: number | undefined;
  readonly client: Pick<Sender, 'prepare' | 'reachable'> & { readonly pace: Pick<BatchPace, 'limit'> };
  readonly signals: StopSignals;
  readonly host: Pick<Host, 'now' | 'steady' | 'later'>;
  /** Rows in flight at the beginning. */
  readonly startWith: number;
  /** Whether the service does not list the template: its first 404 ends the work. */
  readonly isUnlisted?: boolean | undefined;
  /** Called once an outcome is on record. Its worker waits until the promise resolves. */
  onOutcome(outcome: WorkOutcome): Promise<void> | undefined;
  readonly onOutage?: OutageOptions['onOutage'];
  /** Called when a signal stops the work, with the number of requests in flight. */
  onStopping?(inFlight: number): void;
}

/** The outcome of a row. */
export interface WorkOutcome {
  readonly n: number;
  readonly line: number;
  readonly state: 'sent' | 'failed' | 'unsure';
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly id?: string | undefined;
}

export interface Worked {
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  /** Rows of `--resend` that another process has. */
  readonly skipped: number;
  /** Sent rows whose new text was refused. */
  readonly kept: number;
  /** Why it ended before all rows were sent. */
  readonly stopped: CliError | undefined;
}

/** Sends the rows of a batch until none waits. */
export async function work(options: WorkOptions): Promise<Worked> {
  const { database, batch, first } = options;
  const reached = first === undefined ? 0 : await countReached(database, batch.id);
  return new Work(options, reached, await database.read(() => hasAny(batch.id, 'sent'))).run();
}

/** One attempt to send a row. */
interface Turn {
  readonly exchange: Exchange<unknown>;
  /** The number of a row that is claimed again. Otherwise the next one is. */
  readonly n?: number;
}

/** An answer to a row, until it is on record. */
interface Settlement {
  readonly row: Claim;
  readonly answer: Answer;
  /** For a row that is not sent yet: what follows. */
  readonly again?: Turn;
}

/** Milliseconds between signs of life, also while rows wait for the hours, the rate limit or the service. */
const beatInterval = 30_000;

class Work {
  readonly #options: WorkOptions;
  readonly #isImport: boolean;
  readonly #prepare: () => Exchange<unknown>;
  readonly #stop: Stop;
  readonly #outage: Outage;
  readonly #streak: Streak;
  readonly #workers: Workers;
  #end = () => {};
  /** Rows of the batch that are sent or unsure. */
  #reached: number;
  /** Turns from the wait for a slot until the answer, and from then on until the outcome is reported. */
  #active = 0;
  #ending = 0;
  #printing = 0;
  #inFlight = 0;
  /** Rows that were not sent after all. They go before the others. */
  readonly #again: Turn[] = [];
  /** The number of the last row that was looked at. */
  #after = 0;
  #isExhausted = false;
  readonly #skipped = new Set<number>();
  readonly #counts = { sent: 0, failed: 0, unsure: 0, kept: 0 };

  constructor(options: WorkOptions, reached: number, wasAccepted: boolean) {
    const { batch, client, signals, startWith, host, onOutage, onStopping } = options;
    this.#options = options;
    this.#isImport = batch.scope.kind === 'import';
    this.#prepare = client.prepare(this.#isImport ? 'createContact' : 'sendTemplate');
    this.#reached = reached;
    this.#streak = new Streak(wasAccepted);
    this.#workers = new Workers(client.pace.limit, startWith);
    this.#stop = new Stop(signals.stop, () => {
      if (signals.stop.aborted && this.#inFlight > 0) onStopping?.(this.#inFlight);
      this.#next();
    });
    this.#outage = new Outage({
      host,
      onOutage,
      reachable: client.reachable,
      resume: () => this.#next(),
      giveUp: (reason) => this.#stop.request(reason),
      crash: (error) => this.#stop.crash(error),
    });
  }

  async run(): Promise<Worked> {
    const stopBeating = this.#startBeating();
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      this.#next();
    });
    stopBeating();
    this.#outage.end();
    const stopped = this.#stopped();
    this.#stop.throwBug();
    return { ...this.#counts, skipped: this.#skipped.size, stopped };
  }

  #startBeating(): () => void {
    const { database, batch, worker, host } = this.#options;
    const next = () => {
      cancel = host.later(beatInterval, next);
      beat(database, batch.id, worker, host.now()).catch((error: unknown) => this.#stop.crash(error));
    };
    let cancel = host.later(beatInterval, next);
    return () => cancel();
  }

  /** Begins as many turns as may be under way, and ends the work after the last one. */
  #next(): void {
    while (this.#hasMore() && this.#active + this.#printing < this.#limit())
      void this.#take(this.#again.shift() ?? { exchange: this.#prepare() });
    if (this.#active + this.#ending === 0 && !this.#hasMore()) this.#end();
  }

  #hasMore(): boolean {
    return !this.#stop.reason && (this.#again.length > 0 || !this.#isExhausted);
  }

  #limit(): number {
    const limit = this.#outage.limit(this.#workers.count);
    return this.#isFull() ? limit : Math.min(limit, this.#remaining());
  }

  /** Rows of `--first` that are missing. */
  #remaining(): number {
    return (this.#options.first ?? Infinity) - this.#reached;
  }

  #isFull(): boolean {
    return this.#remaining() <= 0;
  }

  /** Slot, claim, send, settle. On SQLite, the next row is claimed in the transaction that settles this one. */
  async #take(turn: Turn): Promise<void> {
    const crash = (error: unknown) => this.#stop.crash(error);
    this.#active += 1;
    const settlement = await this.#send(turn).catch(crash);
    this.#active -= 1;
    this.#ending += 1;
    this.#next();
    if (settlement) await this.#settle(settlement).catch(crash);
    this.#ending -= 1;
    this.#next();
  }

  async #send(turn: Turn): Promise<Settlement | undefined> {
    const slot = await this.#slot(turn);
    if (!slot) return undefined;
    const age = startAge(this.#options.host);
    const row = await this.#claim(turn).catch((error: unknown) => this.#stop.crash(error));
    const isSent = row !== undefined && !this.#stop.reason && age() <= longestClaim;
    if (!isSent) slot('unsent');
    if (!row) return undefined;
    const attempt = isSent ? await this.#request(turn.exchange, slot, row.body) : unsent;
    const answer = this.#answer(row, attempt, turn.exchange.status);
    if (row.was === 'waiting' && (answer.kind === 'sent' || answer.kind === 'unsure')) this.#reached += 1;
    if (answer.kind !== 'again') return { row, answer };
    // A retry that the client asks for has its own pause.
    const exchange = attempt.outcome === 'again' ? turn.exchange : this.#prepare();
    return { row, answer, again: { exchange, n: row.n } };
  }

  /** Undefined if the work stops before. */
  async #slot(turn: Turn): Promise<Release | undefined> {
    try {
      return await turn.exchange.slot(this.#stop.signal);
    } catch (error) {
      if (!this.#stop.reason) this.#stop.crash(error);
      if (turn.n !== undefined) this.#again.push(turn);
      return undefined;
    }
  }

  /** Undefined if no row is left, or if this one is not to be sent any more. */
  async #claim({ n }: Turn): Promise<Claim | undefined> {
    const { database, batch, worker, isOfFile, resend, host } = this.#options;
    if (this.#stop.reason) return undefined;
    const range = n === undefined ? { after: this.#after } : { after: n - 1, upTo: n };
    const about = { id: batch.id, worker, isOfFile, resend, isFull: this.#isFull(), now: host.now() };
    const claimed = await claim(database, { ...about, ...range });
    if (claimed.kind === 'cancelled') {
      this.#stop.request(unsafe('batch-cancelled', 'another command cancelled the batch'));
      return undefined;
    }
    for (const skipped of claimed.skipped) this.#skipped.add(skipped);
    if (n === undefined) {
      this.#after = Math.max(this.#after, claimed.after);
      this.#isExhausted ||= claimed.row === undefined;
    }
    return claimed.row;
  }

  async #request(exchange: Exchange<unknown>, slot: Release, body: string): Promise<Attempt<unknown>> {
    const { steady } = this.#options.host;
    const { losses } = this.#outage;
    const sentAt = steady();
    this.#inFlight += 1;
    const attempt = await exchange.send(slot, body);
    this.#inFlight -= 1;
    if (attempt.outcome === 'again') return attempt;
    const error = attempt.outcome === 'failed' ? attempt.error : undefined;
    if (!error || error.status !== undefined) {
      this.#outage.answered();
      this.#workers.answered(steady() - sentAt);
    }
    if (error) this.#failed(error, losses === this.#outage.losses);
    else this.#streak.accepted();
    return attempt;
  }

  /** `isFirst`: no other request was lost since this one left. */
  #failed(error: CliError, isFirst: boolean): void {
    const { isFinal, isFault, isLost } = failureOf(error);
    const isUnlisted = this.#options.isUnlisted && error.exit === 'notFound';
    if (isFinal || isUnlisted) return this.#stop.request(stoppedBy(error));
    const reason = isFault ? this.#streak.failed(error) : undefined;
    // Requests that one outage loses are not many in a row.
    if (reason && (isFirst || !isLost)) return this.#stop.request(reason);
    if (isLost && !this.#stop.reason) this.#outage.begin(error);
  }

  #answer(row: Claim, attempt: Attempt<unknown>, status: number | undefined): Answer {
    if (attempt.outcome === 'again') return { kind: 'again' };
    if (attempt.outcome === 'failed') return failureOf(attempt.error).answer;
    const { answer } = attempt;
    const knownAs = this.#isImport ? knownReason(row.body, status, answer) : undefined;
    return { kind: 'sent', messageId: idOf(answer), knownAs };
  }

  /** Records an answer, then reports the outcome. */
  async #settle(settlement: Settlement): Promise<void> {
    const { answer, again } = settlement;
    const settled = await this.#record(settlement);
    await this.#report(outcomeOf(settlement, settled));
    if (settled === 'kept' && answer.kind === 'failed') this.#counts.kept += 1;
    if (again) this.#again.push(again);
  }

  /** Undefined if that fails. */
  async #record(settlement: Settlement): Promise<Settled | undefined> {
    const { database, batch, worker, host } = this.#options;
    const { row, answer } = settlement;
    try {
      return await settle(database, { batch: batch.id, worker, claim: row, answer, now: host.now() });
    } catch (error) {
      this.#stop.crash(error);
      return undefined;
    }
  }

  async #report(outcome: WorkOutcome | undefined): Promise<void> {
    if (!outcome) return;
    this.#counts[outcome.state] += 1;
    this.#printing += 1;
    await this.#options.onOutcome(outcome);
    this.#printing -= 1;
  }

  /** Work whose last row has ended was not stopped by a signal that came just then. */
  #stopped(): CliError | undefined {
    const { reason } = this.#stop;
    const isComplete =
      this.#again.length === 0 && (this.#isExhausted || (this.#isFull() && this.#options.resend.length === 0));
    const isLate = isComplete && reason && tooLate.has(reason.code) && !this.#options.signals.leave.aborted;
    return isLate ? undefined : reason;
  }
}

const tooLate: ReadonlySet<string> = new Set(['interrupted', 'too-many-errors', 'output-unwritable']);
const unsent = { outcome: 'again' } as const;

/** Undefined for a row that is sent later. `settled` is undefined if its answer is not on record. */
function outcomeOf({ row, answer }: Settlement, settled: Settled | undefined): WorkOutcome | undefined {
  const about = { n: row.n, line: row.line };
  if (answer.kind === 'sent' && settled) return { ...about, state: 'sent', id: answer.messageId };
  // The next command finds it unsure.
  if (settled === undefined || settled === 'late') {
    const reason = `${endOf(answer)}, but this could not be recorded`;
    return { ...about, state: 'unsure', code: 'unrecorded', reason };
  }
  if (!('reason' in answer)) return undefined;
  const { code, reason } = answer;
  return { ...about, state: settled === 'unsure' ? 'unsure' : 'failed', code, reason };
}

function endOf(answer: Answer): string {
  if ('reason' in answer) return answer.reason;
  return answer.kind === 'sent' ? 'it was sent' : 'it was not sent';
}
