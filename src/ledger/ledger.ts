import { CliError, type ExitName, unsafe } from '../base/errors.ts';
import type { Mode } from '../contract/keys.ts';
import type { State } from './states.ts';
import type { Retry } from './twice.ts';

/** Where claims are made, so that a row is sent once. All promises of one process resolve in the order of the calls. */
export interface Ledger {
  /** Keys the digests of rows; in hexadecimal. */
  readonly secret: string;
  /**
   * Finds the run that this input continues, stops if another run has sent some of its rows, and registers the planned
   * rows. A new run is visible once all its rows are registered. Registers nothing if it stops, or if the plan is a
   * rehearsal.
   */
  register(plan: RunPlan): Promise<Registered>;
  /** Records outcomes of the run, and claims rows of it if they are free; verdicts in the same order. */
  claim(rows: readonly ClaimedRow[], terms: RunTerms, outcomes?: readonly Settled[]): Promise<readonly Verdict[]>;
  /** The numbers of those rows that were sent as they are: asking for many is faster than claiming them. */
  sentAmong(run: string, rows: readonly ClaimedRow[]): Promise<ReadonlySet<number>>;
  /** Claims a single message. */
  claimSingle(row: RowDigest, terms: SingleTerms): Promise<Verdict>;
  /** Records outcomes. */
  settle(outcomes: readonly Settled[]): Promise<void>;
  /** Records rows of the input that the run does not have. */
  addUnsent(run: string, rows: readonly UnsentRow[]): Promise<void>;
  /** Records what a command did with a run. */
  report(run: string, report: RunReport): Promise<void>;
  /** Ends a run whose summary was printed, and that was not stopped: the same command starts a new one. */
  endRun(run: string): Promise<void>;

  /** The number of live messages of an account since a time. */
  sentSince(account: string, at: number): Promise<number>;
  /** All runs and jobs, the oldest first. */
  runs(): Promise<readonly RunState[]>;
  /** The rows of a run with what became of them, page by page; then those that it does not have. */
  rows(run: string): AsyncIterable<readonly ReportedRow[]>;
  /** The rows of a run with these numbers. */
  rowsAt(run: string, items: readonly number[]): Promise<readonly ReportedRow[]>;
  /** The rows of the input that a run does not have, from one line to another. */
  unsent(run: string, first: number, last: number): Promise<readonly ReportedRow[]>;
  /** Calls `found` with each row of an input that a run has; returns how many rows of the run the input does not have. */
  match(
    run: string,
    wanted: { readonly input: Rows; readonly byPhone: boolean },
    found: (row: number, item: number, line: number | undefined) => void,
  ): Promise<number>;
  /** The last that others of the account did about each of these rows before this run ended. */
  elsewhere(run: string, rows: readonly RowDigest[]): Promise<readonly (Elsewhere | undefined)[]>;
  /** Records what was found out about unsure rows; returns how many there were. */
  resolve(run: string, found: 'sent' | 'not-sent', which?: Resolved): Promise<number>;
  /** Withdraws the rows that were not sent, so that no command continues the run; returns how many there were. */
  closeRun(run: string): Promise<number>;
  /** Permits sending again what this run sent, or what these people got; returns the open runs and jobs that had them. */
  forget(what: Forgotten): Promise<readonly RunState[]>;
  /** Records the last outcomes, and ends this process's part: its runs are no longer running. */
  close(last?: readonly Settled[]): Promise<void>;
  /** The number of transactions so far. */
  tick(): Promise<number>;
}

/** How far a ledger is. */
export interface LedgerAge {
  readonly id: string;
  /** The last tick, or an earlier one if the ledger has lost what this machine did last. */
  seen(place: string): Promise<number>;
  /** Records what `seen` will find; returns the last tick. */
  mark(place: string): Promise<number>;
  older(): CliError;
}

/** 36 bytes: `who`, `per` and `text`. `identity.ts` makes them. */
export type RowDigest = Uint8Array;

export type Kind = 'message' | 'contact';

/** The kind of messages that a run sends, and their account. */
export interface Subject {
  readonly account: string;
  readonly mode: Mode;
  readonly kind: Kind;
  readonly template?: string | undefined;
  /** From `--job`: rows are sent once under this name. */
  readonly job?: string | undefined;
  /** From `--per`, sorted. */
  readonly perColumns?: readonly string[];
}

export interface RunPlan extends Subject {
  /** All valid rows of the input, in order, as `createInput` collects them. */
  readonly input: Rows;
  /** From `--first`: only these rows of the input are due; the others are registered. */
  readonly first?: number | undefined;
  readonly choice: Choice;
  /** The clock was compared with that of the service: what seems old is old. */
  readonly isClockRight?: boolean | undefined;
  /** When its own hours begin again. */
  readonly resumesAt?: number | undefined;
  /** Decides only: registers nothing, for dry runs and questions before the confirmation. */
  readonly isRehearsal?: boolean | undefined;
  /** The line of a row in the input, or in a JSON array its number. */
  readonly lineOf?: (row: number) => number;
  readonly about: RunFacts;
}

/** What `runs list` shows of a command. Neither a secret nor a value of `-p` is in it. */
export interface RunFacts {
  /** Such as `send-batch`. */
  readonly command: string;
  /** The command line. */
  readonly typed: string;
  /** Undefined for stdin. */
  readonly file: string | undefined;
  /** Rows of the input. */
  readonly rows: number;
  /** The number of rows that cannot be sent. */
  readonly invalid: number;
}

export interface RunReport {
  /** Rows of the input that the run does not have: duplicates, rows that others sent, and so on. */
  readonly skipped: number;
  /** Why it ended early. */
  readonly stopped: string | undefined;
  readonly files: RejectFiles;
}

export type RejectFiles = Readonly<Partial<Record<'failed' | 'unsure', RejectFile | undefined>>>;

/** A file of rejected rows, as a run wrote it. */
export interface RejectFile {
  readonly file: string;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** The user's decisions, by options or answers. */
export interface Choice {
  /** Rows sent within this time are skipped, in milliseconds. */
  readonly skipSent?: number | undefined;
  readonly again?: boolean | undefined;
  /** With `again`: the tick up to which the user has seen what others did. */
  readonly seen?: number | undefined;
  /** With `again`: an unfinished run that fits is left alone. */
  readonly besides?: boolean | undefined;
  readonly continue?: boolean | undefined;
  readonly retryUnsure?: Retry;
  /** If a row has several messages, the first is sent. */
  readonly firstOfEach?: boolean | undefined;
  /** Stops if more rows than this are due. */
  readonly atMost?: number | undefined;
}

/** The rows of an input, packed. */
export interface Rows {
  readonly count: number;
  /** 36 bytes a row. */
  readonly bytes: Uint8Array;
  /** The 36 bytes of one row. */
  read(row: number): RowDigest;
  /** Whether it is the first row of its person and occasion. */
  isFirst(row: number): boolean;
  /** An earlier row of the same person and occasion has another text. */
  isConflict(row: number): boolean;
  /** The first row with this `who` and `per`, which begin at `at`. */
  rowOf(bytes: Uint8Array, at: number): number | undefined;
  /** The latest such row with this `who`, which begins at `at`. */
  latest(bytes: Uint8Array, at: number): number | undefined;
}

/** The fate of a row of the input. */
export const fates = [
  /** To be sent now. */
  'due',
  /** Failed before: to be sent now, after all rows that were never tried. */
  'retry',
  /** Beyond `--first`. */
  'later',
  /** This run or job has sent it. */
  'done',
  /** The same, with another text. */
  'changed',
  /** It needs `--retry-unsure`. With a sandbox key, only in the run that left it so: a new run sends it again. */
  'unsure',
  /** Equal to an earlier row. */
  'duplicate',
  /** Another message for the recipient of an earlier row. */
  'conflict',
  /** With `--skip-sent`: others have sent it. */
  'earlier',
  /** With `--skip-sent`: others are sending it, or will. */
  'busy',
] as const;
export type Fate = (typeof fates)[number];

/** The fate of a row among the codes of all rows. */
export function fateAt(codes: Uint8Array, row: number): Fate {
  return fates[codes[row] ?? 0] ?? 'due';
}

export type Registered = Accepted | { readonly stop: Stop; readonly notes: readonly Note[] };

export interface Accepted {
  readonly stop: undefined;
  readonly run: string;
  /** The run was there before: this command continues or joins it. */
  readonly continues: boolean;
  /** An index into `fates` for each row of the input. */
  readonly fates: Uint8Array;
  /** The number in the run of each row of the input; 0 if it does not have it. */
  readonly items: Uint32Array;
  /** The files of rejected rows that the run wrote last. */
  readonly files: RejectFiles;
  readonly counts: Readonly<Record<Fate, number>>;
  /** The item of another run because of which a row is skipped or held back. */
  elsewhere(row: number): { readonly run: string; readonly at: number } | undefined;
  /** Others that have rows of this input. */
  readonly earlier: readonly Earlier[];
  readonly notes: readonly Note[];
}

/** Why nothing was registered; the user decides, and the command registers again with that choice. */
export type Stop =
  | SentBefore
  /** With a live key, after 12 hours. `--continue`. */
  | { readonly reason: 'idle'; readonly run: string; readonly idle: number; readonly left: number }
  /** It has these people, with other texts. `--continue`. */
  | { readonly reason: 'other-texts'; readonly run: string }
  /** `--again` while this run is unfinished. `besides`. */
  | { readonly reason: 'unfinished'; readonly run: string; readonly job: string | undefined }
  /** An unfinished job fits, and the command does not name it. */
  | { readonly reason: 'job-unnamed'; readonly run: string; readonly job: string }
  /** The job cannot be used: it was closed, or made without `--again`. */
  | { readonly reason: 'job-closed' | 'job-known'; readonly job: string }
  /** The job has sent at least half of the input with another text. `--continue`. */
  | { readonly reason: 'job-texts'; readonly job: string; readonly rows: number }
  /** The run or job is for something else. */
  | {
      readonly reason: 'other-per' | 'other-subject';
      readonly run: string;
      readonly job: string | undefined;
      readonly was: string;
      readonly is: string;
    }
  | { readonly reason: 'too-many'; readonly rows: number };

/** `--skip-sent` or `--again`. */
export interface SentBefore {
  readonly reason: 'sent-before';
  /** Rows of people who got the template from others, or may have, or will. */
  readonly rows: number;
  /** How many of them would get another text. */
  readonly changed: number;
  /** Further rows of people who got the template within 30 days with another text. */
  readonly recent: number;
  /** Rows with another message for the recipient of an earlier row. */
  readonly conflicts: number;
  readonly earlier: readonly Earlier[];
  /** Changes by others up to this tick are counted. */
  readonly tick: number;
}

export type Note =
  /** Another process works on this run now. */
  | { readonly note: 'joined'; readonly run: string }
  /** The input no longer has these rows, so they will not be sent. */
  | { readonly note: 'withdrawn'; readonly rows: number }
  /** It was idle for 7 days, or this input has other texts for its people; this many rows will not be sent. */
  | { readonly note: 'closed' | 'replaced'; readonly run: string; readonly rows: number }
  /** The machine was restarted while these rows were in flight; they are unsure since. */
  | { readonly note: 'restarted'; readonly rows: number }
  /** A live key would stop here. */
  | { readonly note: 'would-stop'; readonly stop: SentBefore }
  /** Others may have sent these rows, or will: they are held back. */
  | { readonly note: 'held-back'; readonly rows: number; readonly earlier: readonly Earlier[] };

/** Another run that has rows of this input. */
export interface Earlier {
  readonly run: string;
  readonly job: string | undefined;
  /** When it last sent one of them. */
  readonly at: number;
  /** Where its latest process ran, if that is another machine or container. */
  readonly host: string | undefined;
  readonly rows: number;
  /** The number of these that may have been sent. */
  readonly unsure: number;
}

/** A row as it is about to be sent. */
export interface ClaimedRow {
  /** Its number in the run. */
  readonly item: number;
  readonly text: Uint8Array;
}

/** Which rows a claim may get. */
export interface RunTerms {
  readonly run: string;
  readonly retryUnsure?: Retry;
  /** When the run's own hours begin again. */
  readonly resumesAt?: (() => number) | undefined;
}

/** One message outside of runs, with a live key. */
export interface SingleTerms {
  readonly single: Subject;
  readonly again?: boolean | undefined;
  readonly retryUnsure?: boolean | undefined;
}

export type Verdict =
  | { readonly verdict: 'yours'; readonly item: number }
  /** `isChanged`: with another text. */
  | { readonly verdict: 'done'; readonly isChanged: boolean }
  | { readonly verdict: 'failed' }
  /** It is being sent. */
  | { readonly verdict: 'taken'; readonly run: string; readonly owner: Owner }
  | { readonly verdict: 'unsure'; readonly run: string; readonly at: number }
  /** For a run: another run took the row since this one registered. For a single message: it was sent before. */
  | { readonly verdict: 'elsewhere'; readonly run: string; readonly at: number; readonly state: State };

/** A process that sends. */
export interface Owner {
  readonly id: string;
  readonly pid: number;
  /** When and where it began: see `processStart`. */
  readonly start: string | undefined;
  /** When it last wrote to the ledger. */
  readonly beat: number;
}

export interface Settled {
  readonly run: string;
  /** Its number in the run. */
  readonly item: number;
  readonly outcome: Settlement;
  /** Its line in the input, or in a JSON array its number. */
  readonly line?: number;
  /** The service's id of what it created. */
  readonly id?: string | undefined;
  /** Why it failed or is unsure. */
  readonly code?: string;
  readonly reason?: string;
}

/** A row of the input that its run does not have. */
export interface UnsentRow {
  readonly line: number;
  /** `invalid` if it cannot be sent, otherwise why it is skipped. */
  readonly code: string;
  readonly reason?: string | undefined;
}

/** The outcome of a row. */
export interface ReportedRow {
  /** Its number in the run; 0 if the run does not have it. */
  readonly item: number;
  readonly state: State | 'unsent';
  /** When it changed last. */
  readonly at: number | undefined;
  readonly line: number | undefined;
  readonly id: string | undefined;
  readonly code: string | undefined;
  readonly reason: string | undefined;
}

/** The outcome of a row in another run, or as a single message. */
export interface Elsewhere {
  readonly run: string;
  readonly state: 'done' | 'unsure';
  readonly at: number;
  readonly id: string | undefined;
}

/**
 * `release`: the service refused before it looked at the row (429, 401, 403, no connection). `withdraw`: a row that is not
 * claimed is given up.
 */
export type Settlement = 'done' | 'failed' | 'unsure' | 'release' | 'withdraw';

/** Every other request would fail in the same way. */
export const fatalExits: ReadonlySet<ExitName> = new Set(['configuration', 'keyRefused', 'rateLimited']);

/** The outcome of a message whose request ended with this error: unsure, failed, or released since it was not sent. */
export function settlementOf(error: unknown): 'unsure' | 'failed' | 'release' {
  if (!(error instanceof CliError) || error.done === 'unknown' || error.exit === 'unsure') return 'unsure';
  const { exit } = error;
  return fatalExits.has(exit) || exit === 'interrupted' || exit === 'network' ? 'release' : 'failed';
}

/** Which unsure rows are resolved. */
export type Resolved = { readonly isOn: (line: number) => boolean } | { readonly people: People };

type Forgotten = { readonly run: string } | { readonly people: People };

/** One person, as messages and contacts have them. */
interface People {
  /** One for each template. */
  readonly who: readonly Uint8Array[];
  /** Of the contacts. */
  readonly per: Uint8Array;
}

/** One run or job as the ledger knows it. */
export interface RunState extends Subject, RunFacts, RunReport {
  readonly id: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly counts: Readonly<Record<State, number>>;
  /** `--again` started it. */
  readonly isAgain: boolean;
  readonly isRunning: boolean;
  /** No row is planned, released or leaving. */
  readonly isFinished: boolean;
  /** Its summary was printed after the last change of a row, and it was not stopped. */
  readonly hasEnded: boolean;
  readonly isClosed: boolean;
}

/** Another process may forget a run whose process seems dead, for example because it is suspended. */
export function runGone(run: string): CliError {
  const hint = 'another process has forgotten it; the same command sends its rows as a new run';
  return unsafe('run-gone', `run ${run} is not in the ledger any more`, hint);
}
