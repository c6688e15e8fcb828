import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { postgresAddress } from '../../src/base/postgres-address.ts';
import { createPostgres } from '../../src/base/postgres.ts';
import { checkOf } from '../../src/ledger/identity.ts';
import { createTables } from '../../src/session/team-ledger.ts';
import { later } from './cli.ts';
import { type PostgresServer, sharedPostgres } from './postgres.ts';

/** Keys the digests of all teams of tests. */
export const teamSecret = '07'.repeat(32);

const templates = new WeakMap<PostgresServer, Promise<string>>();

/** A database of its own for a test, with the tables of a team. */
export async function teamDatabase(given?: PostgresServer): Promise<{ readonly url: string; readonly name: string }> {
  const server = given ?? (await sharedPostgres());
  const template = templates.get(server) ?? createTemplate(server);
  templates.set(server, template);
  const name = `test_${randomBytes(6).toString('hex')}`;
  server.sql(`CREATE DATABASE ${name} TEMPLATE ${await template}`);
  onTestFinished(() => void server.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return { url: urlOf(server, name), name };
}

function urlOf({ port }: PostgresServer, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}

async function createTemplate(server: PostgresServer): Promise<string> {
  const name = 'team_template';
  server.sql(`CREATE DATABASE ${name}`);
  const postgres = createPostgres({
    address: postgresAddress(urlOf(server, name)),
    host: { later, random: Math.random, steady: () => performance.now() },
    schema: 'bizmsg',
    greeting: 'SELECT 0 AS tick',
    greeted() {},
    note() {},
  });
  await postgres.connect();
  const database = postgres.database('CREATE SCHEMA IF NOT EXISTS bizmsg');
  await database.write(() => createTables(checkOf(teamSecret)));
  await postgres.close();
  return name;
}
