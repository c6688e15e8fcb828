import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, vi } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { binary, cleanEnv, temporaryHome } from '../support/bin.ts';
import { alive, cli, type CliOptions, later, type Ran } from '../support/cli.ts';
import { isLong } from '../support/long-tests.ts';
import { objects } from '../support/json-lines.ts';

// Concurrent tests on a busy machine take long.
vi.setConfig({ testTimeout: 60_000 });
/** Seconds that a single command may take. */
const seconds = 45;

/** The rows of an input. */
export const rows = isLong ? 200 : 16;

export const modes = ['live', 'sandbox'] as const;
export type Mode = (typeof modes)[number];
/** The short form tests what is the same for both keys with live keys only. */
export const usualModes: readonly Mode[] = isLong ? modes : ['live'];

export const keys = {
  live: { first: 'sk_live_7Rw1Kc5NbY6uJe0S', second: 'sk_live_2Xc8Vb4NmQ9tLp6D' },
  sandbox: { first: 'sk_test_4f9Qm2ZpL8xVt3Hd', second: 'sk_test_9aLk3JhGf5DsQw7E' },
} as const;

interface Message {
  readonly to: string;
  readonly params: readonly string[];
  readonly template: string;
}

/**
 * How the service handles a message. `lost`: it sends the message, and the connection breaks. `no-response`: it sends the
 * message without a response.
 */
type Behavior = 'sent' | 'rejected' | 'key-refused' | 'fault' | 'lost' | 'no-response';

interface Service {
  readonly url: string;
  /** Messages that the service sent, or may have sent. */
  readonly sent: readonly Message[];
  /** The number of messages answered with 200. */
  accepted(): number;
  treat: (message: Message) => Behavior;
  /** The time in its answers (default: that of the latest command). */
  date: (() => number) | undefined;
  /** Calls back once this many more messages have arrived. */
  after(count: number, act: () => void): void;
  /** Delays all responses until this many messages have arrived. */
  holdUntil(count: number): void;
  /** Stops listening, and closes all connections. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** Simulates the service, and records each message. */
async function openService(): Promise<Service> {
  const sent: Message[] = [];
  const acts = new Map<number, () => void>();
  let [arrived, accepted] = [0, 0];
  let [held, holding]: [(() => void)[], number] = [[], 0];
  const receive = (message: Message, response: ServerResponse) => {
    const behavior = service.treat(message);
    if (behavior !== 'rejected' && behavior !== 'key-refused') sent.push(message);
    if (behavior === 'sent') accepted += 1;
    arrived += 1;
    acts.get(arrived)?.();
    const id = arrived;
    held.push(() => answer(dated(response), behavior, id));
    if (arrived < holding) return;
    for (const reply of held) reply();
    held = [];
  };
  const dated = (response: ServerResponse) => {
    if (service.date) response.setHeader('date', new Date(service.date()).toUTCString());
    return response;
  };
  const server = createServer((request, response) => {
    // Tests move the clock of the machine.
    response.sendDate = false;
    if (request.method !== 'POST') dated(response).end('[]');
    // The body of a killed process may be incomplete.
    else
      json(request)
        .then((body) => receive(messageIn(body), response))
        .catch(() => response.destroy());
  });
  const open = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await open(0);
  const port = portOf(server.address());
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    sent,
    accepted: () => accepted,
    treat: () => 'sent',
    date: Date.now,
    after: (count, act) => void acts.set(arrived + count, act),
    holdUntil: (count) => void (holding = count),
    async goAway() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    comeBack: () => open(port),
  };
  return service;
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address) return address.port;
  throw new Error('the service does not listen');
}

function answer(response: ServerResponse, behavior: Behavior, id: number): void {
  const reply = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (behavior === 'sent') reply(200, { message_id: `msg_${id}` });
  else if (behavior === 'rejected') reply(400, { message: 'the recipient cannot be reached' });
  else if (behavior === 'key-refused') reply(401, { message: 'the key is not valid' });
  else if (behavior === 'fault') reply(500, { message: 'oh' });
  else if (behavior === 'lost') response.socket?.resetAndDestroy();
}

/** A contact counts as a message with its name. */
function messageIn(body: unknown): Message {
  if (isRecord(body) && 'phone' in body)
    return { to: String(body['phone']), template: '', params: [String(body['name'])] };
  if (!isRecord(body) || !Array.isArray(body['params'])) throw new Error(`not a message: ${JSON.stringify(body)}`);
  return { to: String(body['to']), template: String(body['template']), params: body['params'].map(String) };
}

export interface Person {
  readonly phone: string;
  readonly name: string;
  readonly nick?: string;
}

/** Persons from one number to another, both included. */
export function people(from: number, to: number): readonly Person[] {
  return Array.from({ length: to - from + 1 }, (_, at) => person(from + at));
}

export function person(number: number): Person {
  return { phone: `+1202${5_000_000 + number}`, name: `P${number}`, nick: `N${number}` };
}

const formats = {
  csv: (rows: readonly Person[]) => tableOf(rows, '\n'),
  crlf: (rows: readonly Person[]) => tableOf(rows, '\r\n'),
  ndjson: (rows: readonly Person[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: (rows: readonly Person[]) => JSON.stringify(rows),
} as const;

function tableOf(rows: readonly Person[], end: string): string {
  return ['phone,name,nick', ...rows.map(({ phone, name, nick = '' }) => `${phone},${name},${nick}`), ''].join(end);
}

type Skips =
  | 'excluded'
  | 'earlier_run'
  | 'this_run'
  | 'duplicate'
  | 'another_message'
  | 'unsure'
  | 'elsewhere'
  | 'busy'
  | 'changed';

export interface Summary {
  readonly run: string;
  readonly continues: boolean;
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  readonly not_reached: number;
  readonly skipped: Readonly<Record<Skips, number>>;
  readonly files: { readonly failed: string | null; readonly unsure: string | null };
  readonly account: string;
}

export interface Result {
  readonly code: number;
  /** Undefined if the command was refused. */
  readonly summary: Summary | undefined;
  readonly notes: readonly string[];
  /** The code of the error. */
  readonly error: string | undefined;
  /** The error's message and hint. */
  readonly text: string;
}

interface CommandOptions extends Partial<Omit<CliOptions, 'home'>> {
  /** Sends Ctrl-C once the service has received this many messages of the command. */
  readonly interruptAfter?: number;
  /** Commands that run at the same time. */
  readonly isOneOfSeveral?: boolean;
}

interface Started {
  readonly pid: number;
  readonly ended: Promise<Result>;
}

/** Disposes of it explicitly, because concurrent tests cannot use hooks. */
export interface Machine extends AsyncDisposable {
  readonly mode: Mode;
  readonly home: string;
  readonly service: Service;
  env: Readonly<Record<string, string>>;
  /** Runs any command. */
  run(words: readonly string[], options?: CommandOptions): Promise<Result & Ran>;
  /** Runs `send-batch` with a file, in this process. Without `--job`, its `--again` is that of a job. */
  batch(file: string, words?: readonly string[], options?: CommandOptions): Promise<Result & Ran>;
  /** Runs `contacts import` with a file. */
  load(file: string, words?: readonly string[], options?: CommandOptions): Promise<Result & Ran>;
  /** Starts `send-batch` as a separate process. */
  start(file: string, words?: readonly string[], input?: string): Started;
  single(to: Person, words?: readonly string[], options?: CommandOptions): Promise<Result>;
  /** The rows as CSV. */
  text(rows: readonly Person[]): string;
  /** Writes a file; returns its path. */
  write(rows: readonly Person[], name?: string, format?: keyof typeof formats): string;
  /** The number of these rows that got no message, one, two, and so on. Only messages with the row's name count. */
  reach(rows: readonly Person[]): Readonly<Record<number, number>>;
}

/** A machine with its own state folder, and its own service. */
export async function openMachine(mode: Mode): Promise<Machine> {
  const { path: home, remove } = temporaryHome();
  const started: number[] = [];
  /** Clocks of commands, which that of the service follows. */
  const followed = new Set([Date.now]);
  const service = await openService();
  const confirmed = mode === 'live' ? ['--at-most', '100000'] : [];
  const batchWords = (file: string, words: readonly string[]) => [
    'send-batch',
    'welcome',
    file,
    '-o',
    'json',
    '--no-pace',
    ...(words.includes('--param-column') ? [] : ['--param-column', 'name']),
    ...(words.includes('--at-most') || words.includes('--expect-count') ? [] : confirmed),
    ...words,
  ];
  const machine: Machine = {
    mode,
    home,
    service,
    env: { BIZMSG_BASE_URL: service.url, BIZMSG_API_KEY: keys[mode].first },
    async run(words, { interruptAfter, ...options } = {}) {
      const ending = new AbortController();
      if (service.date && followed.has(service.date)) {
        service.date = options.now ?? Date.now;
        followed.add(service.date);
      }
      if (interruptAfter !== undefined) service.after(interruptAfter, () => ending.abort('SIGINT'));
      const ran = await inTime(words, cli(words, { home, env: machine.env, signal: ending.signal, ...options }));
      return { ...ran, ...resultOf(ran) };
    },
    async batch(file, words = [], options) {
      const before = service.accepted();
      const result = await machine.run(batchWords(file, words), options);
      if (result.summary && !options?.isOneOfSeveral) expect(result.summary.sent).toBe(service.accepted() - before);
      return result;
    },
    load: (file, words = [], options) =>
      machine.run(['contacts', 'import', file, '-o', 'json', '--no-pace', ...confirmed, ...words], options),
    start(file, words = [], input = '') {
      const options = { env: cleanEnv(home, machine.env), extendEnv: false, input, reject: false } as const;
      const running = execa(process.execPath, [binary, ...batchWords(file, words)], options);
      const pid = running.pid ?? 0;
      started.push(pid);
      const ended = running.then(({ exitCode = -1, stdout, stderr }) =>
        resultOf({ code: exitCode, stdout, stderr: stderr === '' ? '' : `${stderr}\n` }),
      );
      return { pid, ended: inTime(batchWords(file, words), ended) };
    },
    single: ({ phone, name }, words = [], options) =>
      machine.run(['send-template', phone, 'welcome', '-p', name, '-o', 'json', ...words], options),
    text: formats.csv,
    write(rows, name = 'people.csv', format = 'csv') {
      const file = join(home, name);
      writeFileSync(file, formats[format](rows));
      return file;
    },
    reach(rows) {
      const messages = (row: Person) =>
        service.sent.filter((one) => one.to === row.phone && one.params[0] === row.name);
      const counts: Record<number, number> = {};
      for (const row of rows) counts[messages(row).length] = (counts[messages(row).length] ?? 0) + 1;
      return counts;
    },
    async [Symbol.asyncDispose]() {
      for (const pid of started) alive(pid, 'SIGKILL');
      await service.goAway();
      remove();
    },
  };
  return machine;
}

/** Names the command that does not end; a test would only name itself, after a minute. */
async function inTime<T>(words: readonly string[], ended: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(seconds * 1_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`bizmsg ${words.join(' ')} has not ended after ${seconds} s`);
  });
  return Promise.race([ended, late]).finally(() => timer.abort());
}

/** The result of a command, whose counts must add up to its rows. */
function resultOf({ code, stdout, stderr }: Ran): Result {
  const lines = objects(stderr);
  const codes = lines.flatMap(({ note }) => (isRecord(note) ? [String(note['code'])] : []));
  // Every batch with a sandbox key has it.
  const notes = codes.filter((code) => code !== 'sandbox-key');
  const error = lines.map((line) => line['error']).find(isRecord);
  const data: unknown = stdout.trim() === '' ? undefined : parsed(stdout);
  const summary = isSummary(data) ? data : undefined;
  if (summary) {
    const { rows, sent, failed, unsure, not_reached: left, skipped } = summary;
    const skips = Object.values(skipped);
    expect(Math.min(sent, failed, unsure, left, ...skips)).toBeGreaterThanOrEqual(0);
    expect(sent + failed + unsure + left + skips.reduce((sum, one) => sum + one, 0)).toBe(rows);
  }
  const text = error ? `${String(error['message'])}\n${String(error['hint'])}` : '';
  return { code, summary, notes, error: error && String(error['code']), text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSummary(value: unknown): value is Summary {
  return isRecord(value) && value['type'] === 'summary';
}

/** The summary of a command that was not refused. */
export function summaryOf({ summary, code, text }: Result): Summary {
  if (!summary) throw new Error(`there is no summary; exit ${code}: ${text}`);
  return summary;
}

/** Makes two minutes pass in a second, for outages. */
export function hurried(factor = 200): Pick<CliOptions, 'later' | 'steady'> {
  return {
    later: (milliseconds, run) => later(milliseconds / factor, run),
    steady: () => performance.now() * factor,
  };
}

export function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}
