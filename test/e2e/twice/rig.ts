import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it as base } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import { type Running, startBin, temporaryHome } from '../../support/bin.ts';
import { alive, cli, type CliOptions, type Ran } from '../../support/cli.ts';
import { type Answer, conversation } from '../../support/conversation.ts';
import { type Asked, envOf, openService, type Reply, type Service } from '../../support/service.ts';

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
export const keys = { otherLive: 'sk_live_2Xc8Vb4NmQ9tLp6D', sandbox: 'sk_test_4f9Qm2ZpL8xVt3Hd' } as const;

/** The columns of a person in a file. */
export interface Row extends Readonly<Record<string, string>> {
  readonly phone: string;
  readonly name: string;
}

export function phoneOf(number: number): string {
  return `+1202${5_000_000 + number}`;
}

/** Persons from one number to another, both included. */
export function people(from: number, to: number, columns: (number: number) => object = () => ({})): readonly Row[] {
  const numbers = Array.from({ length: to - from + 1 }, (_, at) => from + at);
  return numbers.map((number) => ({ phone: phoneOf(number), name: `P${number}`, ...columns(number) }));
}

/** The same people, with the names of these corrected; without numbers, all names. */
export function corrected(rows: readonly Row[], ...numbers: readonly number[]): readonly Row[] {
  const phones = new Set(numbers.map(phoneOf));
  const isMeant = ({ phone }: Row) => numbers.length === 0 || phones.has(phone);
  return rows.map((row) => (isMeant(row) ? { ...row, name: `${row.name} corrected` } : row));
}

const formats = {
  csv: (rows: readonly Row[], end = '\n') =>
    [Object.keys(rows[0] ?? {}), ...rows.map(Object.values)].map((cells) => cells.join(',') + end).join(''),
  crlf: (rows: readonly Row[]) => formats.csv(rows, '\r\n'),
  ndjson: (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: (rows: readonly Row[]) => JSON.stringify(rows),
} as const;

interface Summary {
  readonly run: string;
  readonly continues: boolean;
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  readonly not_reached: number;
  readonly skipped: Readonly<Record<Skips, number>>;
  readonly files: { readonly failed: string | null; readonly unsure: string | null };
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

interface Result extends Ran {
  /** Undefined if the command was refused. */
  readonly summary: Summary | undefined;
}

interface Options extends Partial<Omit<CliOptions, 'home' | 'now'>> {
  readonly template?: string;
  /** The name of the file; - is stdin. */
  readonly name?: string;
  readonly format?: keyof typeof formats;
  /** A file that exists. */
  readonly file?: string;
  /** Sends Ctrl-C once the service has received this many requests of the command. */
  readonly interruptAfter?: number;
  /** Typed answers; without them, the command cannot ask. */
  readonly answers?: readonly Answer[];
}

type Words = string | readonly string[];
interface Outcome {
  readonly sent: number;
  readonly code?: number;
  readonly skipped?: Partial<Summary['skipped']>;
}
type Expected = number | Outcome;
type Batch = readonly [rows: readonly Row[], words?: Words, options?: Options];

/** Tests with a machine. At the end of each, each person got the template once, or is listed with a reason. */
export const it = base.extend<{ machine: Machine }>({
  machine: async ({ task }, use) => {
    await using machine = await openMachine();
    await use(machine);
    if (task.result?.state !== 'fail') await machine.nextOccasion();
  },
});

export async function openMachine(): Promise<Machine> {
  const service = await openService((asked) => machine.answer(asked));
  const machine: Machine = new Machine(service);
  return machine;
}

const always = ['--rate', 'none', '--at-most', '100000', '-o', 'json'];

/** A machine with a live key, and its service. */
export class Machine implements AsyncDisposable {
  readonly service: Service;
  env: Readonly<Record<string, string>>;
  /** How often each person must have got each template, by the person's number; or the least and the most. */
  times: (number: number) => number | readonly [least: number, most: number] = () => 1;
  /** Milliseconds that the clock of the machine is ahead of the service. */
  drift = 0;
  reply: (asked: Omit<Asked, 'reply'>) => Reply | Promise<Reply> = () => 200;
  #until = Promise.resolve();
  #checked = 0;
  readonly #folder = temporaryHome();
  readonly home = this.#folder.path;
  #moved = 0;
  readonly #started: Running[] = [];
  /** The inputs of runs, with the line of the first row: `runs show` names lines. */
  readonly #inputs: { run: string; template: string; rows: readonly Row[]; line: number }[] = [];

  constructor(service: Service) {
    this.service = service;
    this.env = envOf(service);
    service.date = () => this.now();
  }

  /** The time of the service. */
  now(): number {
    return Date.now() + this.#moved;
  }

  async answer(asked: Omit<Asked, 'reply'>) {
    const reply = await this.reply(asked);
    return { reply, until: this.#until, ...(reply === 429 && { headers: { 'retry-after': '0' } }) };
  }

  /** Delays responses until the returned function is called. */
  hold(): () => void {
    let release = () => {};
    this.#until = new Promise((resolve) => (release = resolve));
    return release;
  }

  /** Resolves once this many more requests have arrived. */
  arrived(count: number): Promise<void> {
    return this.service.until(this.service.asked.length + count);
  }

  /** Moves the clock of the machine and the service. */
  wait(milliseconds: number): void {
    this.#moved += milliseconds;
  }

  /** Moves both to the next time of this day, in UTC. */
  waitUntil(hours: number, minutes = 0): void {
    const now = this.now();
    const next = new Date(now).setUTCHours(hours, minutes, 0, 0);
    this.wait((next > now ? next : next + day) - now);
  }

  write(rows: readonly Row[], name = 'people.csv', format: keyof typeof formats = 'csv'): string {
    const file = join(this.home, name);
    writeFileSync(file, formats[format](rows));
    return file;
  }

  async run(words: readonly string[], { interruptAfter, answers, ...options }: Options = {}): Promise<Result> {
    const ending = new AbortController();
    if (interruptAfter !== undefined) void this.arrived(interruptAfter).then(() => ending.abort('SIGINT'));
    const talk = answers && conversation(answers);
    const now = () => this.now() + this.drift;
    const terminal = talk && { terminal: 100, keyboard: talk.keyboard };
    const ran = cli(words, { home: this.home, env: this.env, now, signal: ending.signal, ...terminal, ...options });
    const shown = talk?.shown ?? (() => '');
    const { stderr, ...ended } = await inTime(words, ran, shown);
    return resultOf({ ...ended, stderr: stderr + shown() });
  }

  async batch(...[rows, words = '', options = {}]: Batch): Promise<Result> {
    const stdin = stdinOf(rows, options);
    const given = { ...options, ...(stdin !== undefined && { stdin }) };
    return this.#remember(await this.run(this.#wordsOf(rows, words, options), given), rows, options);
  }

  /** A batch that is stopped by Ctrl-C after this many requests; returns how many were sent. */
  async interrupted(count: number, ...[rows, words, options]: Batch): Promise<number> {
    const { code, summary, stderr } = await this.batch(rows, words, { ...options, interruptAfter: count });
    if (code !== 130 || !summary) throw new Error(`it ended with exit ${code}: ${stderr}`);
    return summary.sent;
  }

  /** A batch that sends this many. */
  async sends(expected: Expected, ...batch: Batch): Promise<Result & { readonly summary: Summary }> {
    const { sent, code = 0, skipped = {} } = typeof expected === 'number' ? { sent: expected } : expected;
    const { summary, ...result } = await this.batch(...batch);
    if (!summary) throw new Error(`it was refused with exit ${result.code}: ${result.stderr}`);
    expect({ ...summary, code: result.code }).toMatchObject({ code, sent, skipped });
    return { ...result, summary };
  }

  /** A batch that is refused before anything is sent, with these words. */
  async refuses(texts: readonly RegExp[], ...batch: Batch): Promise<void> {
    const asked = this.service.asked.length;
    const { code, stdout, stderr } = await this.batch(...batch);
    expect({ code, stdout, asked: this.service.asked.length }).toEqual({ code: 11, stdout: '', asked });
    for (const one of texts) expect(stderr).toMatch(one);
  }

  /** Starts a batch as a process of its own. */
  start(...[rows, words = '', options = {}]: Batch) {
    const [ahead, input] = [this.#moved + this.drift, stdinOf(rows, options)];
    const clock = `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${ahead}`;
    const env = { ...this.env, ...(ahead !== 0 && { NODE_OPTIONS: clock }) };
    const given = { home: this.home, env, cwd: this.home, ...(input !== undefined && { input }) };
    const argv = this.#wordsOf(rows, words, options);
    const running = startBin(argv, given);
    this.#started.push(running);
    const ended = async () => {
      const code = (await inTime(argv, running.ended, running.stderr)) ?? -1;
      const result = resultOf({ code, stdout: running.stdout(), stderr: running.stderr() });
      return this.#remember(result, rows, options);
    };
    return { ...running, ended: ended() };
  }

  /** Kills a batch once the service has answered this many requests; 16 more are in flight. */
  async killed(count: number, ...batch: Batch): Promise<void> {
    const [reply, last] = [this.reply, this.service.asked.length + count];
    this.reply = (asked) => (this.service.asked.length < last ? reply(asked) : 'hang');
    const reached = this.arrived(count + 16);
    const running = this.start(...batch);
    await Promise.race([reached, running.ended]);
    alive(running.pid, 'SIGKILL');
    await running.ended;
    this.reply = reply;
  }

  /** Imports the rows as contacts. */
  async load(rows: readonly Row[], words: Words = ''): Promise<Result> {
    const result = await this.run(['contacts', 'import', this.write(rows), ...always, ...split(words)]);
    return this.#remember(result, rows, { template: '' });
  }

  single(row: Row | undefined, words: Words = '', options: Options = {}): Promise<Result> {
    const message = ['send-template', row?.phone ?? '', 'welcome', '-p', row?.name ?? ''];
    return this.run([...message, '-o', 'json', ...split(words)], options);
  }

  /**
   * Nobody was sent a template more often than allowed, counting requests that may have been executed, and whoever got
   * it less often is listed with a reason. For contacts, a person with another name is another one. What follows counts
   * from zero.
   */
  async nextOccasion(): Promise<void> {
    const keyOf = (template: string, phone: string, name: string) =>
      [phone, template, ...(template === '' ? [name] : [])].join(' ');
    const [perhaps, surely] = [new Map<string, number>(), new Map<string, number>()];
    for (const { phone, template, text, reply, isLive } of this.service.asked.slice(this.#checked)) {
      const one = keyOf(template, phone, text);
      if (isLive && reply !== 422 && reply !== 429) perhaps.set(one, (perhaps.get(one) ?? 0) + 1);
      if (isLive && reply === 200) surely.set(one, (surely.get(one) ?? 0) + 1);
    }
    this.#checked = this.service.asked.length;
    const allowed = (one: string) => [this.times(Number(one.slice(5, 12)) - 5_000_000)].flat();
    const inputs = this.#inputs.splice(0);
    const due = inputs.flatMap(({ template, rows }) => rows.map(({ phone, name }) => keyOf(template, phone, name)));
    const short = [...new Set(due)].filter((one) => (surely.get(one) ?? 0) < (allowed(one)[0] ?? 0));
    const listed = new Set<string>();
    for (const { run, template, rows, line: first } of short.length > 0 ? inputs : []) {
      const shown: unknown = JSON.parse((await this.run(['runs', 'show', run, '-o', 'json'])).stdout || '[]');
      for (const { line, outcome, reason } of Array.isArray(shown) ? shown.filter(isRecord) : []) {
        const row = rows[Number(line) - first];
        if (outcome !== 'sent' && reason && row) listed.add(keyOf(template, row.phone, row.name));
      }
    }
    const twice = [...perhaps].filter(([one, count]) => count > (allowed(one).at(-1) ?? 0));
    expect({ twice, leftOut: short.filter((one) => !listed.has(one)) }).toEqual({ twice: [], leftOut: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid } of this.#started) alive(pid, 'SIGKILL');
    this.service.close();
    this.#folder.remove();
  }

  #wordsOf(rows: readonly Row[], given: Words, { name = 'people.csv', ...options }: Options): readonly string[] {
    const words = split(given);
    const file = options.file ?? (name === '-' ? name : this.write(rows, name, options.format));
    const param = words.includes('-p') ? [] : ['-p', ':name'];
    return ['send-batch', options.template ?? 'welcome', file, ...param, ...always, ...words];
  }

  #remember(result: Result, rows: readonly Row[], { template = 'welcome', format = 'csv' }: Options): Result {
    const line = format === 'csv' || format === 'crlf' ? 2 : 1;
    if (result.summary) this.#inputs.push({ run: result.summary.run, template, rows, line });
    return result;
  }
}

function split(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ').filter(Boolean) : words;
}

function stdinOf(rows: readonly Row[], { name, format = 'csv' }: Options): string | undefined {
  return name === '-' ? formats[format](rows) : undefined;
}

/** Names the command that does not end in time, and what it shows. */
async function inTime<T>(words: readonly string[], ended: Promise<T>, shown: () => string): Promise<T> {
  const timer = new AbortController();
  const late = sleep(50_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`bizmsg ${words.join(' ')} has not ended:\n${shown()}`);
  });
  return Promise.race([ended, late]).finally(() => timer.abort());
}

/** The result of a command, whose counts must add up to its rows. */
function resultOf(ran: Ran): Result {
  const data: unknown = ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : undefined;
  const summary = isSummary(data) ? data : undefined;
  if (summary) {
    const { rows, sent, failed, unsure, not_reached: left, skipped } = summary;
    expect(Object.values(skipped).reduce((sum, one) => sum + one, sent + failed + unsure + left)).toBe(rows);
  }
  return { ...ran, summary };
}

function isSummary(value: unknown): value is Summary {
  return isRecord(value) && value['type'] === 'summary';
}
