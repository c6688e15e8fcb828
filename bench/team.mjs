// The costs of a team: a live send with a distant server, a batch by several processes, a strict minute shared by eight.
//   node bench/team.mjs [--quick] [sends] [batches] [minute]
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measure } from './rig/parts.mjs';
import { startDistance, startPostgres } from './rig/postgres.mjs';
import { bizmsg, launch, newPath, rivals, startServer } from './rig/processes.mjs';
import { median } from './rig/quantiles.mjs';
import { milliseconds, whole } from './rig/table.mjs';
import { rowsOf } from './pace/account.mjs';

const live = 'sk_live_bench0123456789';

/** A server with a team, and a service with any number of answers. */
async function openTeam(most = 1e9) {
  const server = await startPostgres();
  if (!server) return undefined;
  const line = execFileSync(process.execPath, [bizmsg, 'team', 'init', server.url], { encoding: 'utf8' }).trim();
  const service = await startServer('strict', '', join(rivals, 'strict-server.cjs'), String(most), '60000');
  return { server, line, service, end: () => Promise.all([server.end(), service.end()]) };
}

function machine({ service }, line, plan) {
  const folder = newPath('config');
  mkdirSync(folder);
  const acme = {
    baseUrl: service.url,
    mode: 'live',
    keys: { live },
    ...(plan && { plan }),
    ...(line && { team: line }),
  };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, profiles: { acme } }), { mode: 0o600 });
  return { BIZMSG_CONFIG_DIR: folder, BIZMSG_STATE_DIR: newPath('state'), BIZMSG_PROFILE: 'acme' };
}

async function sends(isQuick) {
  const team = await openTeam();
  if (!team) return [{ what: 'sends', unmeasured: 'PostgreSQL is not installed' }];
  const distance = await startDistance(team.server.port, 1);
  const far = team.line.replace(`:${team.server.port}/`, `:${distance.port}/`);
  const [alone, shared] = [machine(team), machine(team, far)];
  let phone = 12_025_550_000;
  const send = async (variables) => {
    const words = [bizmsg, 'send-template', `+${++phone}`, 'welcome', '--quiet', '-o', 'json', '--yes'];
    const start = performance.now();
    const [code] = await once(launch(words, 'ignore', variables), 'exit');
    if (code !== 0) throw new Error(`send-template exited with ${code}`);
    return performance.now() - start;
  };
  const more = [];
  for (let turn = 0; turn < (isQuick ? 10 : 40); turn++) {
    const both =
      turn % 2 === 0 ? [await send(alone), await send(shared)] : [await send(shared), await send(alone)].toReversed();
    if (turn > 1) more.push(both[1] - both[0]);
  }
  distance.end();
  await team.end();
  const why = 'a person does not notice it, and a script that sends one message can be repeated';
  return [{ what: 'a live send, more with a team at 1 ms', figure: median(more), show: milliseconds, most: 25, why }];
}

async function batches(isQuick) {
  const rows = isQuick ? 4_000 : 16_000;
  const team = await openTeam();
  if (!team) return [{ what: 'batches', unmeasured: 'PostgreSQL is not installed' }];
  const file = newPath('people.csv');
  writeFileSync(file, `phone\n${Array.from({ length: rows }, (_, row) => `+1202${5_550_000 + row}\n`).join('')}`);
  const rates = {};
  for (const processes of [1, 2, 4, 1, 2, 4]) {
    const job = newPath('job').split('/').at(-1);
    const words = [
      bizmsg,
      'send-batch',
      'welcome',
      file,
      '--job',
      job,
      '--again',
      '--rate',
      'none',
      '--at-most',
      '1000000',
      '--quiet',
    ];
    const start = performance.now();
    const children = Array.from({ length: processes }, () => launch(words, 'ignore', machine(team, team.line)));
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
    if (codes.some((code) => code !== 0)) throw new Error(`the batches exited with ${codes.join(', ')}`);
    const rate = rows / ((performance.now() - start) / 1_000);
    rates[processes] = Math.max(rates[processes] ?? 0, rate);
  }
  await team.end();
  const why = 'a second machine must not slow the first one down';
  return [2, 4].map((processes) => ({
    what: `${rows} rows by ${processes} processes of a team`,
    value: `${whole(rates[processes])} rows/s`,
    rival: `1 process: ${whole(rates[1])}`,
    ratios: [rates[processes] / rates[1]],
    least: 1,
    why,
  }));
}

async function minute(isQuick) {
  const [processes, rows] = [8, isQuick ? 6 : 14];
  const team = await openTeam(60);
  if (!team) return [{ what: 'minute', unmeasured: 'PostgreSQL is not installed' }];
  const children = Array.from({ length: processes }, (_, at) => {
    const file = newPath('people.csv');
    const phones = Array.from({ length: rows }, (_, row) => `+1202555${String(at * 1_000 + row).padStart(4, '0')}\n`);
    writeFileSync(file, `phone\n${phones.join('')}`);
    const words = [bizmsg, 'send-batch', `update_${at}`, file, '--quiet', '--rate', '100%', '--at-most', '100'];
    return launch(words, 'ignore', machine(team, team.line, 'starter'));
  });
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]));
  if (codes.some((code) => code !== 0)) throw new Error(`the batches exited with ${codes.join(', ')}`);
  const found = await rowsOf({ server: team.service }, `${processes} machines of a team`, processes * rows);
  await team.server.end();
  return found;
}

await measure('Machines of a team, with PostgreSQL on this machine.', { sends, batches, minute });
