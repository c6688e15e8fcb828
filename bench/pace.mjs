// Processes that share a plan. A minute cannot be shorter, so the short form stays within one minute and only counts.
//   node bench/pace.mjs [--quick] [batches] [singles]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bizmsg, environment, newPath, rival, run, startServer, writePeople, writeProfile } from './rig/processes.mjs';
import { measure, milliseconds } from './rig/table.mjs';

await measure('With one key, at a server with a strict sliding minute.', { batches, singles });

async function startPlan() {
  const server = await startServer('strict', rival('strict-server.cjs'), '60', '60000');
  const folders = { BIZMSG_CONFIG_DIR: writeProfile({ plan: 'starter', baseUrl: server.url }) };
  return { server, machine: { ...folders, BIZMSG_STATE_DIR: newPath('state'), BIZMSG_PROFILE: 'acme' } };
}

/** Concurrent batches, each with the full rate of the plan. */
async function batches(isQuick) {
  const [count, rows] = [8, isQuick ? 6 : 14];
  const { server, machine } = await startPlan();
  const runs = Array.from({ length: count }, (_, at) => {
    const words = ['send-batch', `update_${at}`, writePeople(rows, at * rows), '--rate', '100%', '--at-most', '300'];
    return run([bizmsg, ...words, '--quiet'], machine);
  });
  await Promise.all(runs);
  return rowsOf(server, `${count} x send-batch, ${rows} rows each`, count * rows);
}

/** Single sends by xargs. */
async function singles(isQuick) {
  const count = isQuick ? 40 : 100;
  const { server, machine } = await startPlan();
  const words = ['-P', '8', '-I', '{}', process.execPath, bizmsg, 'send-template', '{}', 'order_update', '--quiet'];
  const xargs = spawn('xargs', words, { stdio: ['pipe', 'ignore', 'inherit'], env: environment(machine) });
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
    value: milliseconds(span),
    rival: `the least possible: ${milliseconds(least)}`,
    ratios: [span / least],
  };
  return [counted, { what: `${what}, time`, ...time, most: 1.02, why: 'processes that share a plan use all of it' }];
}
