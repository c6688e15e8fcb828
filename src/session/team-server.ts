import { configuration, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { createPostgres, type Postgres } from '../base/postgres.ts';
import { type PostgresAddress, postgresAddress, shownAddress } from '../base/postgres-address.ts';
import type { Row } from '../base/transaction.ts';
import { checkOf } from '../ledger/identity.ts';

/** The line of a team: the URL of its database, and the secret that keys its digests. */
export interface TeamLine {
  readonly address: PostgresAddress;
  /** In hexadecimal. */
  readonly secret: string;
}

/** Reads the line of a team. Errors never repeat it. */
export function teamLine(text: string): TeamLine {
  const [, url, secret] = /^([^#]+)#([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (url === undefined || secret === undefined)
    throw usage('this is not the line of a team', 'it is the URL and the secret, as bizmsg team init printed them');
  return { address: postgresAddress(url), secret };
}

/** A server with the ledger of a team, as it was when it was last connected. */
export interface Team extends TeamLine {
  readonly server: Postgres;
  facts(): TeamFacts;
}

interface TeamFacts {
  readonly server: string;
  /** It may lose what it confirmed. */
  readonly isUnsafe: boolean;
  /** When a command last registered, claimed or settled rows. */
  readonly lastAt: number;
}

export type TeamHost = Pick<Host, 'later' | 'random' | 'steady'>;

export function createTeam(line: TeamLine, host: TeamHost, note: (message: string) => void): Team {
  const { address, secret } = line;
  let facts: TeamFacts = { server: '', isUnsafe: false, lastAt: 0 };
  const greeted = (row: Row) => {
    const at = `the ledger at ${shownAddress(address)}`;
    if (Number(row['version']) > version)
      throw configuration('team-newer', `${at} was created by a newer bizmsg`, 'update this one');
    const hint = 'get the line from a machine of the team, then: bizmsg profiles set NAME --team-stdin';
    if (row['secret_check'] !== checkOf(secret))
      throw configuration('team-secret', `${at} was created with another secret`, hint);
    const isUnsafe = row['fsync'] !== 'on' || row['full_page_writes'] !== 'on';
    facts = { server: String(row['server']), isUnsafe, lastAt: Number(row['at']) };
  };
  return { ...line, server: createPostgres({ address, host, schema, greeting, greeted, note }), facts: () => facts };
}

export const schema = 'bizmsg';
/** Raised with each step of the schema. */
export const version = 1;

const greeting = `SELECT version, secret_check, tick, at, current_setting('server_version') AS server,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes FROM ${schema}.ledger`;
