import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSqlite } from '../../bin/sqlite.js';
import { parseMinute, sumOf } from '../../src/client/pace/minute.ts';

export function paceDatabase(home: string): string {
  return join(home, '.local/state/bizmsg/pace.db');
}

/** The count in the database of a home, for its only account. */
export function counted(home: string): { readonly finished: number; readonly slots: readonly number[] } | undefined {
  const path = paceDatabase(home);
  const sqlite = loadSqlite();
  if (!sqlite || !existsSync(path)) return undefined;
  const database = new sqlite.DatabaseSync(path, { timeout: 1_000 });
  try {
    const [row, ...others] = database.prepare('SELECT content FROM minute').all();
    if (others.length > 0) throw new Error('there are several accounts');
    const { finished, members } = parseMinute(String(row?.['content']));
    return { finished: sumOf(finished), slots: members.map(({ slots }) => slots) };
  } finally {
    database.close();
  }
}
