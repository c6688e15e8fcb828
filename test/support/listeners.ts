import { join } from 'node:path';
import { expect } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { openRecorded } from '../../src/logs/database.ts';
import { machine } from '../webhooks/rig.ts';

/** Starts a listener, and resolves once other commands can find it. */
export async function announced<T>(home: string, start: () => T) {
  const before = new Set(await listenersIn(home));
  const running = start();
  let url: string | undefined;
  const isThere = async () => (url = (await listenersIn(home)).find((address) => !before.has(address))) !== undefined;
  await expect.poll(isThere).toBe(true);
  const text = (url ?? '').replace(/\/$/, '');
  return { running, url: text, port: Number(new URL(text).port) };
}

/** The addresses of listeners on record. */
export async function listenersIn(home: string): Promise<readonly string[]> {
  const logs = await openRecorded(join(home, '.local/state/bizmsg'), { host: machine, note() {} });
  const rows = (await logs?.read(() => query('SELECT url FROM listener'))) ?? [];
  await logs?.close();
  return rows.map(({ url }) => String(url));
}
