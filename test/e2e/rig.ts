import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import type { NewFault } from '../../src/sandbox/faults.ts';
import { bin, programText, run, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, cli, type Ran } from '../support/cli.ts';
import { objects } from '../support/json-lines.ts';
import { type Asked, type Decide, envOf, openService, type Service } from '../support/service.ts';
import { posixOnly } from '../support/system.ts';
import { newWorld, type World } from '../support/world.ts';
import { phoneOf } from './batches/people.ts';

export { newWorld, phoneOf };
export type { Decide };

type Env = Readonly<Record<string, string>>;
type Where = Pick<World, 'home' | 'env'>;

export type Place = Awaited<ReturnType<typeof newPlace>>;

/** A machine, and a service that it calls with a live key. */
export async function newPlace(decide?: Decide) {
  const { path: home, remove } = temporaryHome();
  const service = await openService(decide);
  onTestFinished(() => {
    service.close();
    remove();
  });
  const env = envOf(service);
  return {
    home,
    state: join(home, '.local/state/bizmsg'),
    service,
    env,
    bin: (argv: readonly string[], input?: string) => bin(argv, { home, env, cwd: home, input }),
    start: (argv: readonly string[], input?: string, more: Env = {}) =>
      start({ home, env: { ...env, ...more } }, argv, input),
  };
}

/** Starts the binary, which does not outlive the test. */
export function start({ home, env }: Where, argv: readonly string[], input?: string): Running {
  const running = startBin(argv, { home, env, cwd: home, input });
  onTestFinished(() => void alive(running.pid, 'SIGKILL'));
  return running;
}

/** Runs a shell script in which `bizmsg` is the binary under test. */
export async function shell({ home, env }: Where, script: string): Promise<Ran> {
  posixOnly('they run a POSIX shell');
  return run(['bash', '-c', `bizmsg() { ${programText} "$@"; }\n${script}`], { home, env, cwd: home });
}

/** Without questions. */
const unasked = ['--at-most', '100000', '-o', 'json'];
/** Without a rate limit or questions. */
const sending = ['--rate', 'none', ...unasked];

/** The name of batches, unless an option changes it. */
const name = 'autumn';

export function batch(file: string, ...more: readonly string[]): readonly string[] {
  return ['send-batch', 'welcome', file, '-p', ':name', '--no-memory', ...withUsual(more)];
}

export function contacts(file: string, ...more: readonly string[]): readonly string[] {
  return ['contacts', 'import', file, ...withUsual(more)];
}

export function resume(...more: readonly string[]): readonly string[] {
  return ['batches', 'resume', name, ...(more.includes('--rate') ? unasked : sending), ...more];
}

function withUsual(more: readonly string[]): readonly string[] {
  const named = more.includes('--batch') ? [] : ['--batch', name];
  return [...named, ...(more.includes('--rate') ? unasked : sending), ...more];
}

/** Row 1 is on line 2. */
export function peopleText(count: number): string {
  return `phone,name\n${Array.from({ length: count }, (_, at) => `${phoneOf(at + 1)},P${at + 1}\n`).join('')}`;
}

export function writePeople({ home }: Pick<Place, 'home'>, count: number, file = 'people.csv'): string {
  const path = join(home, file);
  writeFileSync(path, peopleText(count));
  return path;
}

/** Resolves after this many requests, or when the process has ended. */
export async function untilAsked({ service }: Pick<Place, 'service'>, count: number, running: Running): Promise<void> {
  await Promise.race([service.until(count), running.ended]);
}

export async function killed(running: Running): Promise<void> {
  alive(running.pid, 'SIGKILL');
  await running.ended;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The summary at the end of JSON or of lines. */
export function summaryIn(stdout: string): Fields {
  const summary = objects(`${stdout.trimEnd()}\n`).at(-1);
  if (summary?.['type'] !== 'summary') throw new Error(`no summary: ${stdout}`);
  return summary;
}

/** The counts of a summary that add up to the number of rows. */
export function countedIn({ sent, failed, unsure, waiting, not_sent: notSent }: Fields): number {
  return [sent, failed, unsure, waiting, notSent].reduce((sum: number, count) => sum + Number(count), 0);
}

function recordsIn(stdout: string): readonly Fields[] {
  const value: unknown = JSON.parse(stdout);
  if (!Array.isArray(value)) throw new Error(`not a list: ${stdout}`);
  return value.filter(isRecord);
}

/** The batches of this machine. */
export async function batches({ home, env }: Place): Promise<readonly Fields[]> {
  return recordsIn((await cli(['batches', 'list', '-o', 'json'], { home, env })).stdout);
}

export interface Row {
  /** Its number in the file, from 1. */
  readonly row: number;
  readonly outcome: unknown;
  readonly reason: unknown;
}

/** The rows of a batch, as listed by `batches report`. */
export async function rowsOf({ home, env }: Place): Promise<readonly Row[]> {
  const { stdout } = await cli(['batches', 'report', name, '-o', 'json'], { home, env });
  return recordsIn(stdout).map((row) => ({
    row: Number(row['bizmsg_line']) - 1,
    outcome: row['bizmsg_outcome'],
    reason: row['bizmsg_reason'],
  }));
}

const surelyNotDone: ReadonlySet<Asked['reply']> = new Set([429, 401, 403, 400, 422]);

/** Phones of rows that were requested again after a request that the service may have executed. */
export function repeated({ asked }: Service): readonly string[] {
  const last = new Map<string, Asked>();
  const wrong: string[] = [];
  for (const request of asked) {
    const before = last.get(request.phone);
    if (before && !surelyNotDone.has(before.reply)) wrong.push(`${request.phone} after ${before.reply}`);
    last.set(request.phone, request);
  }
  return wrong;
}

/** Rows whose outcome differs from the last reply of the service. An unsure row may have any. */
export function misjudged({ asked }: Service, rows: readonly Row[]): readonly Row[] {
  const replies = new Map(asked.map(({ phone, reply }) => [phone, reply]));
  return rows.filter(({ row, outcome }) => {
    const reply = replies.get(phoneOf(row));
    if (outcome === 'sent') return reply !== 200;
    return outcome === 'failed' ? reply !== 400 : outcome !== 'unsure';
  });
}

/** Files that no batch needs, as paths below the home. */
export function leftBehind({ home }: Pick<Place, 'home'>): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return names.filter((path) => /\.new$|(^|\/)lock(\.|$)/.test(path)).sort();
}

/** Makes the steady clock of a process run faster. */
export function faster(times: number): Env {
  const script = `const time = process.hrtime.bigint; process.hrtime.bigint = () => time() * ${times}n`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Makes a process look like one of another machine, or after a restart, at a time in milliseconds from now. */
export function elsewhere(boot: string, ahead: number, more: Env = {}): Env {
  const options = [`--require=${preload}`, more['NODE_OPTIONS'] ?? ''].join(' ');
  return { ...more, NODE_OPTIONS: options, BIZMSG_TEST_BOOT: boot, BIZMSG_TEST_AHEAD: String(ahead) };
}

const preload = fileURLToPath(new URL('../support/other-boot-preload.cjs', import.meta.url));

/** A promise for the answers of a service, and its `resolve`. */
export function gate(): { readonly until: Promise<void>; open(): void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open: () => open() };
}

/** Rows in flight at the beginning, with a sandbox key. */
export const concurrency = 16;

export function slow({ sandbox }: World, ms = 20): void {
  addFault(sandbox, { kind: 'latency', ms });
}

export function addFault({ faults }: World['sandbox'], effect: NewFault['effect'], more: Partial<NewFault> = {}): void {
  faults.add({ on: ['sendTemplate', 'createContact'], effect, ...more });
}

/** Resolves once the sandbox has this many messages, or when the process has ended. */
export async function untilSent({ sandbox }: World, count: number, running?: Running): Promise<void> {
  await Promise.race([untilChanged(sandbox, () => sandbox.counts().messages >= count), running?.ended ?? never]);
}

const never = new Promise<never>(() => {});

/** Resolves once it is so; looks at each change of the sandbox. */
async function untilChanged(sandbox: World['sandbox'], isSo: () => boolean): Promise<void> {
  if (isSo()) return;
  await new Promise<void>((resolve) => {
    const { stop } = sandbox.openFeed(null, () => {
      if (!isSo()) return;
      stop();
      resolve();
    });
    onTestFinished(stop);
  });
}

/** Recipients of more than one message. */
export function twice({ sandbox }: World): readonly string[] {
  const seen = new Set<string>();
  return sandbox.messages().flatMap(({ to }) => (seen.size === seen.add(to).size ? [to] : []));
}

/** Numbers of rows whose recipients got no message. */
export function unsentRows({ sandbox }: World, count: number): readonly number[] {
  const sent = new Set(sandbox.messages().map(({ to }) => to));
  return Array.from({ length: count }, (_, at) => at + 1).filter((row) => !sent.has(phoneOf(row)));
}
