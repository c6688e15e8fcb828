import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSqlite } from '../../bin/sqlite.js';
import { cli } from './cli.ts';
import { newHome, testKey } from './fake-service.ts';

export function paceDatabase(home: string): string {
  return join(home, '.local/state/bizmsg/pace.db');
}

/** The number of requests in the database of a home; undefined if it does not exist. */
export function counted(home: string): number | undefined {
  const path = paceDatabase(home);
  const sqlite = loadSqlite();
  if (!sqlite || !existsSync(path)) return undefined;
  const database = new sqlite.DatabaseSync(path, { timeout: 1_000 });
  try {
    return Number(database.prepare('SELECT count(*) AS count FROM request').all()[0]?.['count']);
  } finally {
    database.close();
  }
}

/** A home with one profile for a service; returns its path. */
export async function profiled(
  url: string,
  plan: 'growth' | 'enterprise',
  rate?: number,
  key = testKey,
): Promise<string> {
  const home = newHome();
  const words = ['--plan', plan, ...(rate === undefined ? [] : ['--rate', `${rate}/m`])];
  const argv = ['login', '--no-check', '--key-stdin', '--yes', '--profile', 'acme', '--base-url', url, ...words];
  await cli(argv, { home, stdin: key });
  return home;
}
