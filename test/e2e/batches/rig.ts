import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it as base, vi } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import { type Running, startBin, temporaryHome } from '../../support/bin.ts';
import { alive, cli, type CliOptions, type Ran } from '../../support/cli.ts';
import { type Asked, openService, type Reply, type Service } from '../../support/service.ts';
import { phoneOf, type Row } from './people.ts';
import { type Result, resultOf } from './summary.ts';

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
export const keys = {
  live: 'sk_live_7Rw1Kc5NbY6uJe0S',
  otherLive: 'sk_live_2Xc8Vb4NmQ9tLp6D',
  sandbox: 'sk_test_4f9Qm2ZpL8xVt3Hd',
} as const;

interface Options extends Partial<Omit<CliOptions, 'home' | 'now'>> {
  readonly template?: string;
  /** The name of the file. */
  readonly file?: string;
}

/** A record of a list. */
export type Line = Readonly<Record<string, unknown>>;

/** A text with spaces, or words. */
type Words = string | readonly string[];
type Batch = readonly [rows: readonly Row[], words?: Words, options?: Options];

/** The exit code of a process that a signal ended. */
const killed = -1;

/** Answers that say that nothing was sent. */
const refused = new Set<Reply>([400, 401, 403, 404, 422, 429]);

/** These tests sync thousands of times. */
const inMemory = existsSync('/dev/shm') ? '/dev/shm' : undefined;

/** Tests with a machine. At the end of each, its reports agree with the service. */
export const it = base.extend<{ machine: Machine }>({
  machine: async ({ task }, use) => {
    await using machine = await openMachine();
    await use(machine);
    if (task.result?.state !== 'fail') await machine.expectTrueReports();
  },
});

/** A machine where someone has logged in with a live key, and its service. */
export async function openMachine(): Promise<Machine> {
  const service = await openService((asked) => machine.answer(asked));
  const machine: Machine = new Machine(service);
  await machine.login('acme', keys.live);
  return machine;
}

export class Machine implements AsyncDisposable {
  readonly service: Service;
  readonly home: string;
  reply: (asked: Omit<Asked, 'reply'>) => Reply | Promise<Reply> = () => 200;
  #until = Promise.resolve();
  #moved = 0;
  readonly #folder = temporaryHome(inMemory);
  readonly #started: Running[] = [];
  readonly #profiles = new Set<string>();
  /** The people to whom commands had to send a template, by file. */
  readonly #due = new Map<string, readonly string[]>();

  constructor(service: Service) {
    this.service = service;
    this.home = this.#folder.path;
    service.keepTime(() => this.now());
  }

  /** The time of the machine and the service. */
  now(): number {
    return Date.now() + this.#moved;
  }

  wait(milliseconds: number): void {
    this.#moved += milliseconds;
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

  /** Makes a profile for the service, or gives it another key; `acme` stays in use. */
  async login(profile: string, key: string, account = 'acme'): Promise<void> {
    const typed = ['login', '--profile', profile, '--base-url', this.service.url, '--account', account];
    const login = await this.run([...typed, '--key-stdin', '--no-check', '--yes'], { stdin: key });
    expect(login).toMatchObject({ code: 0 });
    expect(await this.run('profiles set acme --default')).toMatchObject({ code: 0 });
    this.#profiles.add(profile);
  }

  write(rows: readonly Row[], name = 'people.csv'): string {
    const columns = Object.keys(rows[0] ?? { phone: '', name: '' });
    const lines = [columns, ...rows.map(Object.values)];
    return this.writeText(lines.map((cells) => `${cells.join(',')}\n`).join(''), name);
  }

  writeText(text: string, name: string): string {
    const file = join(this.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  /** Runs a command in this process. */
  async run(words: Words, options: Options = {}): Promise<Ran> {
    const argv = split(words);
    return inTime(argv, cli(argv, { home: this.home, now: () => this.now(), ...options }));
  }

  /** The records that a command lists. */
  async list(words: Words): Promise<readonly Line[]> {
    const { code, stdout, stderr } = await this.run([...split(words), '-o', 'json']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const listed: unknown = JSON.parse(stdout);
    return Array.isArray(listed) ? listed.filter(isRecord) : [];
  }

  /** The rows of a batch. */
  report(name: string, words: Words = ''): Promise<readonly Line[]> {
    return this.list(['batches', 'report', name, ...split(words)]);
  }

  /** Sends a file with these people. */
  async send(...[rows, words = '', options = {}]: Batch): Promise<Result> {
    const before = this.service.asked.length;
    const argv = [...this.#wordsOf(rows, words, options), '-o', 'json'];
    const result = this.#remember(resultOf(await this.run(argv, options), argv), rows, options);
    const accepted = this.service.asked.slice(before).filter(({ reply }) => reply === 200);
    expect(result.now.sent).toBe(accepted.length);
    return result;
  }

  /** The screen at the end of the same command. */
  async screen(...[rows, words = '', options = {}]: Batch): Promise<string> {
    return (await this.run(this.#wordsOf(rows, words, options), options)).stdout;
  }

  /** Goes on with a batch, without its file. */
  async resume(name: string, words: Words = ''): Promise<Result> {
    const argv = ['batches', 'resume', ...split(name), ...unasked(split(words))];
    return resultOf(await this.run([...argv, '-o', 'json']), argv);
  }

  /** Imports the people as contacts. */
  async import(rows: readonly Row[], words: Words = '', { file }: Options = {}): Promise<Result> {
    const argv = ['contacts', 'import', this.write(rows, file), ...unasked(split(words))];
    return resultOf(await this.run([...argv, '-o', 'json']), argv);
  }

  /** Starts a batch as a process. */
  start(...[rows, words = '', options = {}]: Batch) {
    const argv = [...this.#wordsOf(rows, words, options), '-o', 'json'];
    const clock = `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${this.#moved}`;
    const env = { ...(this.#moved !== 0 && { NODE_OPTIONS: clock }) };
    const running = startBin(argv, { home: this.home, env, cwd: this.home });
    this.#started.push(running);
    const ended = async () => {
      const code = (await inTime(argv, running.ended, running.stderr)) ?? killed;
      const ran = { code, stdout: running.stdout(), stderr: running.stderr() };
      return this.#remember(resultOf(ran, argv), rows, options);
    };
    return { ...running, ended: ended() };
  }

  /** Kills a batch when this many requests have arrived, before the last one is answered. */
  async killed(count: number, ...batch: Batch): Promise<void> {
    const [reply, last] = [this.reply, this.service.asked.length + count];
    this.reply = (asked) => (this.service.asked.length + 1 < last ? reply(asked) : 'hang');
    const reached = this.arrived(count);
    const running = this.start(...batch);
    await Promise.race([reached, running.ended]);
    await this.kill(running);
    this.reply = reply;
  }

  /** Resolves once its requests have arrived, too. */
  async kill({ pid, ended }: { readonly pid: number; readonly ended: Promise<Result> }): Promise<Result> {
    alive(pid, 'SIGKILL');
    const result = await ended;
    await this.service.settled();
    return result;
  }

  /** A batch that Ctrl-C stops before all are sent. */
  async interrupted(count: number, ...batch: Batch): Promise<Result> {
    const result = await this.stopped(count, ...batch);
    expect(result).toMatchObject({ code: 130, stopped: { code: 'interrupted' } });
    return result;
  }

  /** Sends Ctrl-C to a batch when this many requests have arrived. It waits for the answers to those in flight. */
  async stopped(count: number, ...batch: Batch): Promise<Result> {
    const [{ reply }, last] = [this, this.service.asked.length + count];
    let release = () => {};
    this.reply = (asked) => {
      if (this.service.asked.length + 1 === last) release = this.hold();
      return reply(asked);
    };
    const reached = this.arrived(count);
    const running = this.start(...batch);
    let isEnded = false;
    void running.ended.then(() => (isEnded = true));
    await Promise.race([reached, running.ended]);
    alive(running.pid, 'SIGINT');
    await vi.waitUntil(() => isEnded || /stopping/i.test(running.stderr()), { timeout: 50_000 });
    release();
    this.reply = reply;
    return running.ended;
  }

  single(row: Row | undefined, words: Words = '', options: Options = {}): Promise<Ran> {
    const { template = 'welcome' } = options;
    const message = ['send-template', row?.phone ?? '', template, '-p', row?.name ?? ''];
    return this.run([...message, '-o', 'json', ...split(words)], options);
  }

  /** The texts that a person may have got, in order: whatever the service did not surely refuse. */
  texts(number: number, key?: string): readonly string[] {
    const isMeant = (asked: Asked) => asked.phone === phoneOf(number) && (key === undefined || asked.key === key);
    return this.#received().flatMap((asked) => (isMeant(asked) ? [asked.text] : []));
  }

  /** How many people got how many texts: `{ 1: 200 }` if each of 200 got one. */
  tally(...accepted: readonly string[]): Readonly<Record<number, number>> {
    const texts = new Map<string, number>();
    for (const { phone, key } of this.#received())
      if (accepted.length === 0 || accepted.includes(key)) texts.set(phone, (texts.get(phone) ?? 0) + 1);
    const people: Record<number, number> = {};
    for (const count of texts.values()) people[count] = (people[count] ?? 0) + 1;
    return people;
  }

  /**
   * Each row that a report calls sent was accepted, each other one has a reason, and each person of the files got the
   * template or is in a report.
   */
  async expectTrueReports(): Promise<void> {
    const reached = new Set(this.#received().map(({ template, phone }) => `${template} ${phone}`));
    const [wrong, listed]: [Line[], Set<string>] = [[], new Set()];
    for (const profile of this.#profiles)
      for (const { name, template } of await this.list(['batches', 'list', '--profile', profile]))
        for (const row of await this.report(String(name), ['--profile', profile])) {
          const { phone, bizmsg_outcome: outcome, bizmsg_reason: reason } = row;
          const person = `${typeof template === 'string' ? template : ''} ${String(phone)}`;
          const isTrue = outcome === 'sent' ? reached.has(person) : outcome === 'waiting' || Boolean(reason);
          // Columns are erased after 30 days.
          if (phone !== null && !isTrue) wrong.push({ name, ...row });
          listed.add(person);
        }
    const lost = [...this.#due.values()].flat().filter((person) => !reached.has(person) && !listed.has(person));
    expect({ wrong, lost }).toEqual({ wrong: [], lost: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pid } of this.#started) alive(pid, 'SIGKILL');
    this.service.close();
    this.#folder.remove();
  }

  #received(): readonly Asked[] {
    return this.service.asked.filter(({ reply }) => !refused.has(reply));
  }

  #wordsOf(rows: readonly Row[], typed: Words, { template = 'welcome', file }: Options): readonly string[] {
    const words = split(typed);
    const param = words.includes('-p') ? [] : ['-p', ':name'];
    return ['send-batch', template, this.write(rows, file), ...param, ...unasked(words)];
  }

  #remember(result: Result, rows: readonly Row[], { template = 'welcome', file = '' }: Options): Result {
    const isRefused = result.id === '' && result.code !== killed;
    const due = rows.flatMap(({ phone }) => (phone.startsWith('+') ? `${template} ${phone}` : []));
    if (!isRefused) this.#due.set(file, due);
    if (result.id !== '') expect(result.rows).toBe(rows.length);
    return result;
  }
}

/** Words of a command that needs no answers and no time. */
function unasked(words: readonly string[]): readonly string[] {
  const rate = words.includes('--rate') ? [] : ['--rate', 'none'];
  const most = words.includes('--at-most') ? [] : ['--at-most', '100000'];
  return [...rate, ...most, ...words];
}

function split(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ').filter(Boolean) : words;
}

/** Names the command that does not end in time, and what it shows. */
async function inTime<T>(words: readonly string[], ended: Promise<T>, shown = () => ''): Promise<T> {
  const timer = new AbortController();
  const late = sleep(50_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`bizmsg ${words.join(' ')} has not ended:\n${shown()}`);
  });
  return Promise.race([ended, late]).finally(() => timer.abort());
}
