import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { openDatabase } from '../../src/base/sqlite.ts';
import { inMemory } from '../../src/base/sqlite-connection.ts';
import type { Database } from '../../src/base/transaction.ts';
import { work, type WorkOptions, type WorkOutcome, type Worked } from '../../src/batches/work.ts';
import { createClient } from '../../src/client/client.ts';
import { SlidingPace, type PaceLog, paceSchema } from '../../src/client/pace.ts';
import { canReach, openTransport } from '../../src/client/transport.ts';
import type { Batch, Scope } from '../../src/store/batch.ts';
import type { ReportRow } from '../../src/store/views.ts';
import { openFile } from '../store/drivers.ts';
import { load, type LoadOptions, type Person, rows, scope, start, worker } from '../store/rig.ts';
import { type Decide, openService, type Service } from '../support/service.ts';
import { movedClock } from '../support/timers.ts';

const sandbox: Scope = { ...scope, mode: 'sandbox' };
export const contacts: Scope = { ...sandbox, kind: 'import', template: '' };

/** The phone of a row. */
export function phoneOf(n: number): string {
  return `+1202555${String(n).padStart(4, '0')}`;
}

/** The number of the row with a phone. */
export function numberOf(phone: string): number {
  return Number(phone.slice('+1202555'.length));
}

export function people(count: number, text = 'hi'): readonly Person[] {
  return Array.from({ length: count }, (_, at) => person(phoneOf(at + 1), text));
}

/** Someone in a file; the body has their phone, too. */
function person(phone: string, text = 'hi'): Person {
  return { phone, text: JSON.stringify({ to: phone, phone, template: 'T', params: [text] }) };
}

export type Clock = ReturnType<typeof createClock>;

/** A clock that stands still unless a test advances it. */
function createClock() {
  const clock = movedClock(start);
  return { ...clock, steady: () => clock.now() - start, random: Math.random };
}

export interface Tables {
  readonly database: Database;
  readonly clock: Clock;
  /** Loads a batch with this number of rows, or these people. */
  load(whom: number | readonly Person[], options?: LoadOptions): Promise<Batch>;
  rows(batch: Batch): Promise<readonly ReportRow[]>;
}

export async function serving(decide?: Decide): Promise<Service> {
  const service = await openService(decide);
  onTestFinished(service.close);
  return service;
}

/** The tables of batches, in a file. */
export async function openTables(): Promise<Tables> {
  const database = await openFile();
  const clock = createClock();
  return {
    database,
    clock,
    load: (whom, options) =>
      load(database, typeof whom === 'number' ? people(whom) : whom, { scope: sandbox, now: clock.now(), ...options }),
    rows: (batch) => rows(database, batch, clock.now()),
  };
}

type Given = Pick<WorkOptions, 'batch'> & { readonly url: string } & Partial<WorkOptions>;

export interface WorkingOptions extends Given {
  readonly limits?: WorkOptions['client']['pace']['limit'] | undefined;
  /** Milliseconds until an answer must have come. */
  readonly timeout?: number;
}

export interface Run extends Worked {
  readonly outcomes: readonly WorkOutcome[];
}

const never = new AbortController().signal;

/** Works on a batch over real connections, as a command does. */
export async function working({ database, clock }: Tables, options: WorkingOptions): Promise<Run> {
  const { url: baseUrl, signals = { stop: never, leave: never }, limits, timeout } = options;
  const outcomes: WorkOutcome[] = [];
  const transport = openTransport({ baseUrl, env: {}, connections: 64 });
  onTestFinished(() => transport.close());
  const pace = new SlidingPace({
    host: clock,
    kind: 'batch',
    limits: limits ? [limits] : [],
    account: 'A',
    log: await openPaceLog(clock),
  });
  const { prepare } = createClient({
    baseUrl,
    key: 'sk_test_0123456789abcdef',
    userAgent: 'bizmsg-test',
    transport,
    timeout,
    signal: signals.leave,
    now: clock.now,
    random: () => 0.5,
    sleep: async () => {},
    pace,
    isBatch: true,
  });
  const worked = await work({
    database,
    worker,
    isOfFile: true,
    resend: [],
    first: undefined,
    client: { prepare, reachable: () => canReach({ baseUrl, env: {} }, signals.stop), pace: { limit: limits } },
    host: clock,
    startWith: 4,
    ...options,
    signals,
    onOutcome(outcome) {
      outcomes.push(outcome);
      return options.onOutcome?.(outcome);
    },
  });
  return { ...worked, outcomes };
}

/** Works on a batch with this number of rows, which a service answers in some way. */
export async function workOn(count: number, decide?: Decide, options: Partial<WorkingOptions> = {}) {
  const tables = await openTables();
  const { url, asked } = await serving(decide);
  const batch = await tables.load(count);
  const worked = await working(tables, { batch, url, ...options });
  return { worked, asked, rows: await tables.rows(batch) };
}

async function openPaceLog(clock: Clock): Promise<PaceLog> {
  const host = { ...clock, sqlite: loadSqlite };
  const log = await openDatabase(inMemory, { host, schema: paceSchema, sync: 'OFF', isDisposable: true, note() {} });
  onTestFinished(() => log.close());
  return { write: (body) => log.write(() => body(clock.steady())), close: () => log.close() };
}

/** The numbers of the rows with this outcome, in order. */
export function numbers({ outcomes }: Run, state: WorkOutcome['state']): readonly number[] {
  return outcomes.flatMap((outcome) => (outcome.state === state ? [outcome.n] : [])).toSorted((a, b) => a - b);
}

/** Advances the clock again and again until something is over. */
export async function passing<T extends object | void>({ advance }: Clock, ms: number, over: Promise<T>): Promise<T> {
  // Connections need real time.
  const turn = () => new Promise<'turn'>((resolve) => setTimeout(() => resolve('turn'), 1));
  while ((await Promise.race([over, turn()])) === 'turn') advance(ms);
  return over;
}
