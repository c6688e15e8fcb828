// Processes that share a plan of 60 requests a minute. A minute cannot be shorter, so the short form stays within one
// minute and only counts.
//   node bench/pace.mjs [--quick] [batches] [singles] [team]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bizmsg, environment, keys, newPath, rival, run, startServer } from './rig/processes.mjs';
import { writePeople, writeProfile } from './rig/processes.mjs';
import { startPostgres } from './rig/postgres.mjs';
import { measure, milliseconds } from './rig/table.mjs';

await measure('Eight at a time with one key, at a server with a strict sliding minute.', { batches, singles, team });

function startStrict() {
  return startServer('strict', rival('strict-server.cjs'), '60', '60000');
}

/** A machine with one profile, which has the plan. */
function machineOf(profile) {
  const folders = {
    BIZMSG_CONFIG_DIR: writeProfile({ plan: 'starter', ...profile }),
    BIZMSG_STATE_DIR: newPath('state'),
  };
  return { ...folders, BIZMSG_PROFILE: 'acme' };
}

/** Concurrent batches, each with the full rate of the plan. */
async function batches(isQuick) {
  const server = await startStrict();
  const machine = machineOf({ baseUrl: server.url });
  return runBatches('8 x send-batch', isQuick, server, () => machine);
}

/** The same, each on a machine of its own. */
async function team(isQuick) {
  const postgres = await startPostgres();
  const line = execFileSync(process.execPath, [bizmsg, 'team', 'init', postgres.url], { encoding: 'utf8' }).trim();
  const server = await startStrict();
  const live = { mode: 'live', keys: { live: keys.live }, baseUrl: server.url, team: line };
  const rows = await runBatches('8 machines of a team', isQuick, server, () => machineOf(live));
  await postgres.end();
  return rows;
}

async function runBatches(what, isQuick, server, machine) {
  const rows = isQuick ? 6 : 14;
  const runs = Array.from({ length: 8 }, (_, at) => {
    const words = ['send-batch', `update_${at}`, writePeople(rows, at * 100), '--rate', '100%', '--at-most', '100'];
    return run([bizmsg, ...words, '--quiet'], machine());
  });
  await Promise.all(runs);
  return rowsOf(server, `${what}, ${rows} rows each`, 8 * rows);
}

/** Single sends by xargs. */
async function singles(isQuick) {
  const [server, count] = [await startStrict(), isQuick ? 40 : 100];
  const words = ['-P', '8', '-I', '{}', process.execPath, bizmsg, 'send-template', '{}', 'order_update', '--quiet'];
  const env = environment(machineOf({ baseUrl: server.url }));
  const xargs = spawn('xargs', words, { stdio: ['pipe', 'ignore', 'inherit'], env });
  xargs.stdin.end(Array.from({ length: count }, (_, at) => `+1202555${1_000 + at}\n`).join(''));
  const [code] = await once(xargs, 'exit');
  if (code !== 0) throw new Error(`xargs exited with ${code}`);
  return rowsOf(server, `${count} x send-template, xargs -P 8`, count);
}

/** Reads the server's counts. */
async function rowsOf(server, what, count) {
  const { taken, refused, span, least } = await (await fetch(server.url)).json();
  // A batch also requests the templates, unless it would have to wait for that.
  if (taken < count) throw new Error(`the server accepted ${taken} of ${count} requests`);
  const why = 'processes agree on the plan before they send';
  const counted = { what: `${what}, 429s`, figure: refused, most: 0, why };
  if (least === 0) return [counted];
  const time = {
    what: `${what}, time`,
    value: milliseconds(span),
    rival: `the least possible: ${milliseconds(least)}`,
  };
  return [counted, { ...time, ratios: [span / least], most: 1.02, why: 'processes that share a plan use all of it' }];
}
