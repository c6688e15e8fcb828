// A profile with a plan, and a server that enforces the plan.
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

/** Reads the server's counts and stops it. */
export async function rowsOf({ server }, what, count) {
  const { taken, refused, span, least } = await (await fetch(server.url)).json();
  await server.end();
  // A batch also requests the templates, unless it would have to wait for that.
  if (taken < count) throw new Error(`the server accepted ${taken} of ${count} requests`);
  const counted = {
    what: `${what}, 429s`,
    figure: refused,
    show: whole,
    most: 0,
    why: 'processes agree on the plan before they send',
  };
  if (least === 0) return [counted];
  return [
    counted,
    {
      what: `${what}, time`,
      value: milliseconds(span),
      rival: `the least possible: ${milliseconds(least)}`,
      ratios: [span / least],
      most: 1.02,
      why: 'processes that share a plan use all of it',
    },
  ];
}
