// Imports and batches beside undici, and how close they come to a strict rate limit.
//   node bench/import.mjs [--quick] [rates] [curl] [window]
import { spawnSync } from 'node:child_process';
import { bizmsg, environment, keys, newPath, rival, run, startServer } from './rig/processes.mjs';
import { writePeople } from './rig/processes.mjs';
import { measure, megabytes, median, milliseconds, takeTurns, whole } from './rig/table.mjs';

const importing = (file) => [bizmsg, 'contacts', 'import', file, '--quiet'];

await measure('From spawn to exit, with 16 connections. The rivals keep nothing.', { rates, curl, window });

function variablesOf({ url }) {
  return { BIZMSG_API_KEY: keys.sandbox, BIZMSG_BASE_URL: url, BIZMSG_STATE_DIR: newPath('state') };
}

async function rates(isQuick) {
  const count = isQuick ? 100_000 : 1_000_000;
  const [server, file] = [await startServer('server', rival('strict-server.cjs')), writePeople(count)];
  const imports = { name: `contacts import, ${whole(count)} rows`, words: importing(file) };
  const batches = { name: `send-batch, ${whole(count)} rows`, words: [bizmsg, 'send-batch', 'order_update', file] };
  batches.words.push('-p', ':name', '-p', ':city', '--quiet');
  const alone = { name: 'undici alone', words: [rival('undici-alone.cjs'), server.url, String(count)] };
  const script = { name: 'a script with undici', words: [rival('undici-script.mjs'), server.url, file] };
  const contestants = [imports, batches, alone, script];
  const settings = { rounds: 3, seconds: isQuick ? 80 : 300 };
  const turns = await takeTurns(contestants, settings, ({ words }) => run(words, variablesOf(server), count));
  const row = (one, other, least, why) => ({ what: one.name, ...turns.beside(one, other), least, why });
  return [
    row(imports, alone, 0.42, 'each row is claimed and settled in the ledger'),
    row(imports, script, 0.5, 'the script forgets what it sent'),
    row(batches, script, 0.5, 'the script forgets what it sent'),
    ...[imports, batches].map((one) => memoryRow(one, turns.middle(one, 'peak'))),
  ];
}

function memoryRow({ name }, figure) {
  const what = `peak memory of ${name}`;
  return { what, figure, show: megabytes, most: 160e6, why: '1,000,000 rows must fit in a small container' };
}

/** The loop of a shell, with as many requests at a time. */
async function curl() {
  const count = 1_000;
  const [server, file] = [await startServer('server', rival('strict-server.cjs')), writePeople(count)];
  const each = `curl -sf -H content-type:application/json -d '{"phone":"{}"}' ${server.url}/api/public/contacts`;
  const loop = {
    name: 'xargs -P 16 curl',
    command: `tail -n +2 "$0" | cut -d, -f1 | xargs -P 16 -I{} ${each} >/dev/null`,
  };
  const imports = { name: `contacts import, ${whole(count)} rows` };
  const turns = await takeTurns([imports, loop], { rounds: 3, seconds: 60 }, ({ command }) => {
    if (!command) return run(importing(file), variablesOf(server), count);
    const began = performance.now();
    const { status, stderr } = spawnSync('sh', ['-c', command, file], { env: environment(), encoding: 'utf8' });
    if (status !== 0) throw new Error(`${loop.name}: exit ${status}: ${stderr}`);
    return { perSecond: (1_000 * count) / (performance.now() - began) };
  });
  const why = 'a user should not go back to the loop for its speed';
  return [{ what: imports.name, ...turns.beside(imports, loop), cpu: undefined, least: 2, why }];
}

/**
 * At a server with a strict sliding window: no row may be refused, and the import may take no longer than the window
 * requires after the rows of the first one, which take the time of the wire.
 */
async function window(isQuick) {
  let refused = 0;
  const paced = async (most, count) => {
    const rounds = [];
    for (let round = 0; round < 3; round++) {
      const server = await startServer('strict', rival('strict-server.cjs'), String(most), '1000');
      await run([...importing(writePeople(count)), '--rate', `${most}/s`], variablesOf(server));
      const counts = await (await fetch(server.url)).json();
      if (counts.taken !== count) throw new Error(`the server accepted ${counts.taken} of ${count} rows`);
      refused += counts.refused;
      rounds.push(counts);
    }
    return {
      what: `${whole(count)} rows at a strict ${most}/s`,
      value: milliseconds(median(rounds.map(({ span }) => span))),
      rival: `the least possible: ${milliseconds(median(rounds.map(({ least }) => least)))}`,
      ratios: rounds.map(({ span, least }) => span / least),
      most: 1.01,
      why: 'uses the whole rate that is paid for',
    };
  };
  const rows = [await paced(100, isQuick ? 400 : 1_000), await paced(20, isQuick ? 80 : 200)];
  const why = 'bizmsg knows the limit and waits for it';
  return [...rows, { what: 'rows refused with 429, of both', figure: refused, most: 0, why }];
}
