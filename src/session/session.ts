import type { Host } from '../base/host.ts';
import type { Client } from '../client/client.ts';
import type { Exchange } from '../client/exchange.ts';
import type { KnownPace } from '../client/pace.ts';
import type { Mode } from '../contract/keys.ts';
import type { Plan } from '../contract/plans.ts';
import type { Database } from '../base/transaction.ts';
import type { RunningSandbox } from '../sandbox/remote/running.ts';
import type { CallerFlags, LocalCaller, ServiceCaller, Target } from './caller.ts';
import type { Sandboxes } from './sandboxes.ts';

/** The parts of one invocation that calls to the service need. */
export interface Session {
  readonly host: Host;
  readonly given: CallOptions;
  readonly reporter: Reporter;
  readonly interaction: Interaction;
  /** Prints a note on stderr, unless --quiet is given. */
  note(code: string, message: string): void;
  /** Callers that were shown; a command may connect twice. */
  readonly announced: Set<string>;
  /** The state folder; throws if other users can change it. */
  stateFolder(): string;
  readonly sandboxes: () => Promise<Sandboxes>;
}

/** The global options that calls depend on. */
interface CallOptions extends CallerFlags {
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  readonly caFile?: string | undefined;
  readonly dryRun: boolean;
  readonly debug: boolean;
  readonly noInput: boolean;
}

interface Reporter {
  /** Prints a note, with --quiet too. */
  note(code: string, message: string): void;
  /** A line of the trace. */
  trace(line: string): void;
  /** Redacts this text from all later output. */
  hide(secret: string): void;
}

export interface Interaction {
  /** Asks on a terminal, with --yes too; throws if the user declines. */
  confirm(question: string, hint?: string): Promise<void>;
  /** Shows a spinner on a terminal until the work is done. */
  spin<T>(text: string, work: Promise<T>): Promise<T>;
}

export type AnyCaller = LocalCaller | ServiceCaller | Target;

/** A target that passed all safety checks and was announced. */
export interface CheckedTarget {
  readonly target: Target;
  /** Whether it is a sandbox on this machine. */
  readonly simulated: boolean;
  /** Whether it would be a sandbox on this machine, but nothing listens at its address. */
  readonly isDeserted: boolean;
  /** The sandbox on this machine that is called, if it runs. */
  readonly running: RunningSandbox | undefined;
  readonly caller: AnyCaller;
}

/** A client for one caller, until it is closed. */
export interface Connection {
  readonly client: Client;
  readonly sendOnce: SendOnce;
  readonly tryLookup: TryLookup;
  /** Whether it goes to the sandbox on this machine. */
  readonly simulated: boolean;
  readonly mode: Mode | 'unknown';
  close(): Promise<void>;
}

/**
 * Sends a request of a single call until it succeeds or finally fails. A live message is claimed in the record.
 */
export type SendOnce = <T>(exchange: Exchange<T>, choice?: ResendChoice) => Promise<T>;

interface ResendChoice {
  /** Sends a message again that was sent shortly before, or may have been. */
  readonly again?: boolean | undefined;
  /** Whether it is the test of a batch, which does not count as a message to that person. */
  readonly isTest?: boolean | undefined;
}

/**
 * A best-effort lookup with a short time-out and without retries, in a dry run too: it changes nothing. Failures are
 * ignored, because a key may permit sending but not reading.
 */
export type TryLookup = (look: (client: Pick<Client, 'pages'>) => Promise<void>) => Promise<void>;

export interface StopSignals {
  /** Aborted: nothing more is sent; requests in flight are waited for. */
  readonly stop: AbortSignal;
  /** Aborted: nothing is waited for. */
  readonly leave: AbortSignal;
}

/** The record of what was sent, and whose it is. */
export interface BatchRecord {
  readonly database: Database;
  readonly account: string;
  /** A key of unknown mode counts as live. */
  readonly mode: 'live' | 'sandbox';
  close(): Promise<void>;
}

/** The record of what a batch sends, and its requests, until it is closed. */
export interface BatchClient {
  readonly target: Pick<Target, 'mode'> & Pick<CheckedTarget, 'simulated'> & { readonly plan: Plan };
  readonly hasTeam: boolean;
  /** The same each time. Refuses an AI agent with a live key. */
  record(): Promise<BatchRecord>;
  connect(options: SenderOptions): Promise<Sender>;
  /** Prints that nothing really happens, if that is so. */
  noteHarmless(isMessage: boolean): void;
  /** Milliseconds by which the clock of the service is ahead; undefined until an answer has its time. */
  skew(): number | undefined;
  close(): Promise<void>;
}

export interface SenderOptions {
  /** Default: 90 % of the plan's minute. If the plan is unknown: 60 a minute with a live key, otherwise no limit. */
  readonly rate?: BatchRate | undefined;
  /** The milliseconds for which nothing may be sent. */
  readonly closedFor?: (() => number) | undefined;
}

/** The rate of a batch; `share` is a percentage of the plan's rate limit. */
export type BatchRate = { readonly share: number } | KnownPace | 'none';

/** Requests that keep the pace, wait after a 429, and leave network faults to the batch. */
export interface Sender
  extends Pick<Client, 'prepare' | 'exchange'>, Pick<Connection, 'sendOnce' | 'tryLookup' | 'close'> {
  readonly pace: BatchPace;
  /** Whether the service can be connected to. No request is sent. */
  reachable(): Promise<boolean>;
}

export interface BatchPace {
  /** The lowest one; undefined if nothing is known until the service answers 429. */
  readonly limit: KnownPace | undefined;
  /** The shortest time in milliseconds for a number of requests; undefined like `limit`. */
  minimumDuration(requests: number): number | undefined;
  /** The milliseconds until the next request may be sent, if rows wait for the rate limit. */
  waiting(): number | undefined;
}
