import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { elsewhere, phoneOf, summaryIn, writePeople } from '../e2e/rig.ts';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, cli, type CliOptions, type Ran } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import {
  missingPostgres,
  newDatabase,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
} from '../support/postgres.ts';
import { type Decide, openService, type Service } from '../support/service.ts';

export { errorIn, phoneOf, summaryIn, writePeople };

/** Without PostgreSQL, nothing of a team can be tested. */
export const isMissing = missingPostgres !== undefined;

type Env = Readonly<Record<string, string>>;
type Line = Readonly<Record<string, unknown>>;

/** Machines that send with one live key, and the server of their team. */
export interface Team {
  readonly server: PostgresServer;
  readonly service: Service;
  readonly url: string;
  /** Runs statements in its database; returns what psql prints. */
  sql(text: string): string;
  machine(options?: MachineOptions): Promise<Machine>;
}

interface MachineOptions {
  /** Of the database, such as that of a proxy; undefined for a machine without a team. */
  readonly url?: string | undefined;
  /** The boot id of another machine. By default the others notice immediately if its processes are dead. */
  readonly boot?: string;
}

export interface Machine {
  readonly home: string;
  readonly state: string;
  /** Runs the binary. */
  bin(words: readonly string[], options?: Options): Promise<Ran>;
  start(words: readonly string[], options?: Options): Running;
  /** Runs a command in this process. */
  run(words: readonly string[], options?: Options): Promise<Ran>;
  /** Makes a profile; the first one stays in use. */
  login(name: string, key: string): Promise<void>;
  list(words: readonly string[]): Promise<readonly Line[]>;
}

interface Options extends Partial<Omit<CliOptions, 'home' | 'stdin'>> {
  readonly stdin?: string;
  /** Without a team, if the URL is ''. */
  readonly url?: string;
}

const profile = { name: 'acme', key: 'sk_live_7Rw1Kc5NbY6uJe0S' } as const;
/** The password in the URLs of teams. */
export const password = 'geheim-Pw7';

/** A server of its own, which the test may end. */
export async function ownPostgres(copyOf?: PostgresServer): Promise<PostgresServer> {
  // It survives the end of its processes, which are no power cut.
  const server = await startPostgres({ settings: { fsync: 'off', max_connections: '200' }, ...(copyOf && { copyOf }) });
  onTestFinished(() => server.kill());
  return server;
}

export async function newTeam(decide?: Decide, own?: PostgresServer): Promise<Team> {
  const server = own ?? (await sharedPostgres());
  const name = databaseIn(newDatabase(server));
  const url = urlOf(server.port, name);
  const service = await openService(decide);
  onTestFinished(() => service.close());
  return {
    server,
    service,
    url,
    sql: (text) => server.sql(`SET search_path = bizmsg; ${text}`, name),
    machine: (options) => machineOf(service, { url, ...options }),
  };
}

/** The URL of a database behind a port of this machine. */
export function urlOf(port: number, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

async function machineOf(service: Service, { url: usual, boot }: MachineOptions = {}): Promise<Machine> {
  const { path: home, remove } = temporaryHome();
  onTestFinished(remove);
  const env = (url = usual): Env => ({
    ...(url && { BIZMSG_TEAM: url }),
    ...(boot !== undefined && elsewhere(boot, 0)),
  });
  const machine: Machine = {
    home,
    state: join(home, '.local/state/bizmsg'),
    bin: (words, { stdin = '', url } = {}) => bin(words, { home, env: env(url), cwd: home, input: stdin }),
    start(words, { stdin = '', url, env: more } = {}) {
      const running = startBin(words, { home, env: { ...env(url), ...more }, cwd: home, input: stdin });
      onTestFinished(() => void alive(running.pid, 'SIGKILL'));
      return running;
    },
    run: (words, { url, env: more, ...options } = {}) =>
      cli(words, { home, ...options, env: { ...env(url), ...more } }),
    async login(name, key) {
      const login = ['login', '--profile', name, '--base-url', service.url, '--account', 'acme'];
      const ran = await machine.run([...login, '--key-stdin', '--no-check', '--yes'], { stdin: key, url: '' });
      expect(ran).toMatchObject({ code: 0 });
      expect((await machine.run(['profiles', 'set', profile.name, '--default'], { url: '' })).code).toBe(0);
    },
    async list(words) {
      const { code, stdout, stderr } = await this.run([...words, '-o', 'json']);
      if (code !== 0) throw new Error(`bizmsg ${words.join(' ')} failed with ${code}: ${stderr}`);
      const rows: unknown = JSON.parse(stdout);
      return Array.isArray(rows) ? rows.filter(isRecord) : [];
    },
  };
  await machine.login(profile.name, profile.key);
  return machine;
}

const unasked = ['--at-most', '100000', '-o', 'json'];

/** Sends people of the machine's file to a batch. */
export function batch({ home }: Machine, ...more: readonly string[]): readonly string[] {
  const rate = more.includes('--rate') ? [] : ['--rate', 'none'];
  const name = more.includes('--batch') ? [] : ['--batch', 'autumn'];
  return ['send-batch', 'welcome', join(home, 'people.csv'), '-p', ':name', ...name, ...rate, ...unasked, ...more];
}

export function resume(...more: readonly string[]): readonly string[] {
  const rate = more.includes('--rate') ? [] : ['--rate', 'none'];
  return ['batches', 'resume', 'autumn', ...rate, ...unasked, ...more];
}

export function single(row: number, ...more: readonly string[]): readonly string[] {
  return ['send-template', phoneOf(row), 'welcome', '-p', `P${row}`, '-o', 'json', ...more];
}

export function joining(url: string): readonly [words: readonly string[], options: Options] {
  return [['team', 'join', '--profile', profile.name, '--url-stdin', '-o', 'json'], { stdin: url, url: '' }];
}

/** Runs a command that must end with 11 and this error. */
export async function expectRefused(machine: Machine, words: readonly string[], error: object, options: Options = {}) {
  const { code, stderr } = await machine.run(words, options);
  expect({ words, code, error: errorIn(stderr) }).toMatchObject({ code: 11, error });
}

/** Ends a process. Resolves once its requests have arrived, too. */
export async function kill(service: Service, running: Running): Promise<void> {
  alive(running.pid, 'SIGKILL');
  await running.ended;
  await fetch(service.url);
}

/** Makes the processes of a machine look silent for 90 seconds. */
export async function silence({ server, url }: Team, boot: string): Promise<void> {
  // With the lock of each transaction, so that one of the dead process does not come after it. A proxy goes on meanwhile.
  const update = `UPDATE meta SET tick = tick; UPDATE batch SET until = 0 WHERE worker LIKE '%@${boot}%'`;
  const sql = `SET search_path = bizmsg; BEGIN; ${update}; COMMIT; \\q`;
  await once(server.session(databaseIn(url), sql), 'exit');
}

export function databaseIn(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** Marks unsure rows as a person does who knows what the service got; returns how many. */
export async function settleUnsure(machine: Machine, service: Service, name = 'autumn'): Promise<number> {
  const rows = await machine.list(['batches', 'report', name, '--outcome', 'unsure']);
  const accepted = new Set(service.asked.map(({ phone }) => phone));
  for (const as of ['--sent', '--not-sent']) {
    const marked = rows.filter(({ phone }) => accepted.has(String(phone)) === (as === '--sent'));
    if (marked.length === 0) continue;
    const numbers = marked.map((row) => row['bizmsg_row']).join(',');
    expect(await machine.run(['batches', 'mark', name, as, '--rows', numbers, '--yes'])).toMatchObject({ code: 0 });
  }
  return rows.length;
}

/** How many people the service got how many messages for: `{ 1: 40 }` if each of 40 got one. */
export function tally({ asked }: Service): Readonly<Record<number, number>> {
  const messages = new Map<string, number>();
  for (const { phone } of asked) messages.set(phone, (messages.get(phone) ?? 0) + 1);
  const people: Record<number, number> = {};
  for (const count of messages.values()) people[count] = (people[count] ?? 0) + 1;
  return people;
}
