import { httpRequest } from '../base/http-request.ts';
import { type Database, query } from '../base/transaction.ts';
import { healthPath } from './refusals.ts';

export async function addListener(logs: Database, url: string): Promise<void> {
  await logs.write(() => query('INSERT OR IGNORE INTO listener (url) VALUES ($1)', url));
}

export async function removeListener(logs: Database, url: string): Promise<void> {
  await logs.write(() => query('DELETE FROM listener WHERE url = $1', url));
}

/** Whether a listener answers at one of the recorded addresses. A killed one has left its own. */
export async function isListening(logs: Database): Promise<boolean> {
  for (const { url } of await logs.read(() => query('SELECT url FROM listener'))) {
    const { href } = new URL(healthPath, String(url));
    const { status } = await httpRequest(href, { method: 'GET', timeout: 2_000 }).catch(() => ({ status: 0 }));
    if (status === 200) return true;
  }
  return false;
}
