// Processes that share a plan. A minute cannot be shorter, so the short form stays within one minute and only counts.
//   node bench/pace.mjs [--quick] [batches] [pair] [singles]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bizmsg, environment, newPath, rival, run, startServer } from './rig/processes.mjs';
import { writePeople, writeProfile } from './rig/processes.mjs';
import { measure, milliseconds } from './rig/table.mjs';

await measure('With one key, at a server with a strict sliding minute.', { batches, pair, singles });

function startStrict(most) {
  return startServer('strict', rival('strict-server.cjs'), String(most), '60000');
}

function machineOf({ url: baseUrl }, plan) {
  const folders = { BIZMSG_CONFIG_DIR: writeProfile({ plan, baseUrl }), BIZMSG_STATE_DIR: newPath('state') };
  return { ...folders, BIZMSG_PROFILE: 'acme' };
}

/** Many batches at a small plan. */
function batches(isQuick) {
  return runBatches({ count: 8, rows: isQuick ? 6 : 14, plan: 'starter', most: 60 });
}

/** Two batches that use a larger plan for two minutes. */
function pair(isQuick) {
  return runBatches({ count: 2, rows: isQuick ? 140 : 300, plan: 'growth', most: 300 });
}

/** Concurrent batches, each with the full rate of the plan. */
async function runBatches({ count, rows, plan, most }) {
  const server = await startStrict(most);
  const machine = machineOf(server, plan);
  const runs = Array.from({ length: count }, (_, at) => {
    const words = ['send-batch', `update_${at}`, writePeople(rows, at * rows), '--rate', '100%', '--at-most', '300'];
    return run([bizmsg, ...words, '--quiet'], machine);
  });
  await Promise.all(runs);
  return rowsOf(server, `${count} x send-batch, ${rows} rows each`, count * rows);
}

/** Single sends by xargs. */
async function singles(isQuick) {
  const [server, count] = [await startStrict(60), isQuick ? 40 : 100];
  const words = ['-P', '8', '-I', '{}', process.execPath, bizmsg, 'send-template', '{}', 'order_update', '--quiet'];
  const env = environment(machineOf(server, 'starter'));
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
