import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, type Ran } from '../support/cli.ts';
import { type Asked, type Decide, envOf, openService, type Service } from '../support/service.ts';

/** A machine, and a service that it calls with a live key. */
export interface Place {
  readonly home: string;
  readonly state: string;
  readonly service: Service;
  readonly env: Readonly<Record<string, string>>;
  bin(argv: readonly string[], input?: string): Promise<Ran>;
  start(argv: readonly string[], input?: string, more?: Readonly<Record<string, string>>): Running;
}

export async function newPlace(decide?: Decide): Promise<Place> {
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
    bin: (argv, input) => bin(argv, { home, env, cwd: home, ...(input !== undefined && { input }) }),
    start(argv, input, more = {}) {
      const running = startBin(argv, {
        home,
        env: { ...env, ...more },
        cwd: home,
        ...(input !== undefined && { input }),
      });
      onTestFinished(() => void alive(running.pid, 'SIGKILL'));
      return running;
    },
  };
}

export type { Decide };

/** Without questions. */
const unasked = ['--at-most', '100000', '-o', 'json'];
/** Without a rate limit or questions. */
export const sending = ['--rate', 'none', ...unasked];

export function batch(file: string, ...more: readonly string[]): readonly string[] {
  return ['send-batch', 'welcome', file, '-p', ':name', ...(more.includes('--rate') ? unasked : sending), ...more];
}

/** Row 1 is on line 2. */
export function phoneOf(row: number): string {
  return `+1202${5_000_000 + row}`;
}

export function peopleText(count: number): string {
  return `phone,name\n${Array.from({ length: count }, (_, at) => `${phoneOf(at + 1)},P${at + 1}\n`).join('')}`;
}

export function writePeople({ home }: Pick<Place, 'home'>, count: number, name = 'people.csv'): string {
  const file = join(home, name);
  writeFileSync(file, peopleText(count));
  return file;
}

/** Resolves after this many requests, or when the process has ended. */
export async function untilAsked({ service }: Pick<Place, 'service'>, count: number, running: Running): Promise<void> {
  await Promise.race([service.until(count), running.ended]);
}

export async function killed(running: Running): Promise<void> {
  alive(running.pid, 'SIGKILL');
  await running.ended;
}

type Fields = Readonly<Record<string, unknown>>;

export function summaryIn(stdout: string): Fields {
  const value: unknown = JSON.parse(stdout || 'null');
  if (!isRecord(value) || value['type'] !== 'summary') throw new Error(`no summary: ${stdout}`);
  return value;
}

/** The counts of a summary that add up to the number of rows. */
export function countedIn(summary: Fields): number {
  const skipped = isRecord(summary['skipped']) ? Object.values(summary['skipped']) : [];
  const { sent, failed, unsure, not_reached: left } = summary;
  return [sent, failed, unsure, left, ...skipped].reduce((sum: number, count) => sum + Number(count), 0);
}

function recordsIn(stdout: string): readonly Fields[] {
  const value: unknown = JSON.parse(stdout);
  if (!Array.isArray(value)) throw new Error(`not a list: ${stdout}`);
  return value.filter(isRecord);
}

/** The runs of this machine. */
export async function runs(place: Place): Promise<readonly Fields[]> {
  return recordsIn((await place.bin(['runs', 'list', '-o', 'json'])).stdout);
}

/** The rows of a run, as listed by `runs show`. */
export async function rowsShown(place: Place, run: unknown): Promise<readonly Fields[]> {
  return recordsIn((await place.bin(['runs', 'show', String(run), '-o', 'json'])).stdout);
}

const surelyNotDone: ReadonlySet<Asked['reply']> = new Set([429, 401, 403, 400, 422]);

/** Phones of rows that were requested again after a request that the service may have executed. */
export function repeated({ asked }: Service): readonly string[] {
  const last = new Map<string, Asked>();
  const wrong: string[] = [];
  for (const one of asked) {
    const before = last.get(one.phone);
    if (before && !surelyNotDone.has(before.reply)) wrong.push(`${one.phone} after ${before.reply}`);
    last.set(one.phone, one);
  }
  return wrong;
}

/** Files that no run needs, as paths below the home. */
export function leftBehind({ home }: Pick<Place, 'home'>): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.new$|(^|\/)lock(\.|$)/.test(name)).sort();
}

export function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}
