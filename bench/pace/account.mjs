// An account with a plan, at a server that holds it to that plan, and a machine that knows of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPath, rivals, startServer } from '../rig/processes.mjs';
import { milliseconds, whole } from '../rig/table.mjs';

const [most, minute] = [60, 60_000];

export async function openAccount() {
  const words = [join(rivals, 'strict-server.cjs'), String(most), String(minute)];
  const server = await startServer('strict', '', ...words);
  const folder = newPath('config');
  mkdirSync(folder);
  const acme = { baseUrl: server.url, mode: 'sandbox', keys: { sandbox: 'sk_test_bench0123456789' }, plan: 'starter' };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, profiles: { acme } }));
  const variables = { BIZMSG_CONFIG_DIR: folder, BIZMSG_STATE_DIR: newPath('state'), BIZMSG_PROFILE: 'acme' };
  return { server, variables };
}

/** What came of so many requests; the server ends with it. */
export async function rowsOf({ server }, what, count) {
  const { taken, refused, span, least } = await (await fetch(server.url)).json();
  await server.end();
  if (taken !== count) throw new Error(`of ${count} requests, ${taken} were taken`);
  const time = { what: `${what}, the time`, value: milliseconds(span) };
  return [
    { what: `${what}, refused`, value: whole(refused), ratios: [refused], rival: 'none', most: 0 },
    least === 0 ? time : { ...time, ratios: [span / least], rival: milliseconds(least), most: 1.02 },
  ];
}
