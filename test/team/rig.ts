import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bin, type Running, startBin, temporaryHome } from '../support/bin.ts';
import { alive, type Ran } from '../support/cli.ts';
import { missingPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { type Decide, envOf, openService, type Service } from '../support/service.ts';
import { teamDatabase, teamSecret } from '../support/team.ts';

export { missingPostgres };

const preload = fileURLToPath(new URL('./machine-preload.cjs', import.meta.url));

/** Machines that send with one live key, and the server of their team. */
export interface Team {
  readonly server: PostgresServer;
  readonly service: Service;
  readonly url: string;
  readonly line: string;
  sql(text: string): string;
  machine(given?: MachineOptions): Machine;
}

interface MachineOptions {
  /** A line with another address, such as that of a proxy. */
  readonly line?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Machine {
  readonly name: string;
  readonly home: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  bin(argv: readonly string[], input?: string): Promise<Ran>;
  start(argv: readonly string[], more?: Readonly<Record<string, string>>): Running;
}

let durable: Promise<PostgresServer> | undefined;

/** A server that keeps what it confirmed, for all tests of a worker. */
function durablePostgres(): Promise<PostgresServer> {
  return (durable ??= startPostgres({ settings: { max_connections: '200' } }));
}

/** A server of its own, which the test may stop. */
export async function ownPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = await startPostgres({ settings });
  onTestFinished(() => server.kill());
  return server;
}

export async function newTeam(decide?: Decide, given?: PostgresServer): Promise<Team> {
  const server = given ?? (await durablePostgres());
  const { url, name } = await teamDatabase(server);
  const service = await openService(decide);
  onTestFinished(() => service.close());
  const line = `${url}#${teamSecret}`;
  return {
    server,
    service,
    url,
    line,
    sql: (text) => server.sql(`SET search_path = bizmsg; ${text}`, name),
    machine: (options) => machineOf(service, line, options),
  };
}

/** A new machine that sends with a live key. */
export function machineOf(
  service: Service,
  usual: string,
  { line = usual, env: more = {} }: MachineOptions = {},
): Machine {
  const { path: home, remove } = temporaryHome();
  onTestFinished(remove);
  const name = `m${randomBytes(4).toString('hex')}`;
  const env = {
    ...envOf(service),
    BIZMSG_TEAM: line,
    NODE_OPTIONS: `--require=${preload}`,
    TEST_MACHINE: name,
    ...more,
  };
  return {
    name,
    home,
    env,
    state: join(home, '.local/state/bizmsg'),
    bin: (argv, input) => bin(argv, { home, env, cwd: home, ...(input !== undefined && { input }) }),
    start(argv, extra = {}) {
      const running = startBin(argv, { home, env: { ...env, ...extra }, cwd: home });
      onTestFinished(() => void alive(running.pid, 'SIGKILL'));
      return running;
    },
  };
}

/** Makes the processes of a machine look silent for 90 seconds. */
export function silence({ sql }: Team, { name }: Machine): void {
  sql(`UPDATE owner SET beat = beat - 91000 WHERE start LIKE '%${name}'`);
}
