// Batches beside a script with undici, close to a strict rate limit, and of 1,000,000 rows.
//   node bench/import.mjs [--quick] [rates] [window] [million]
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { bizmsg, keys, launch, newPath, rival, run, startServer, writePeople } from './rig/processes.mjs';
import { measure, megabytes, median, milliseconds, takeTurns, whole } from './rig/table.mjs';

const importing = (file) => [bizmsg, 'contacts', 'import', file, '--quiet'];

await measure('Imports and batches, from spawn to exit. The script forgets what it sent.', { rates, window, million });

function environmentOf({ url }, key = keys.sandbox) {
  return { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: url, BIZMSG_STATE_DIR: newPath('state') };
}

async function rates(isQuick) {
  const count = isQuick ? 100_000 : 1_000_000;
  const [server, file] = [await startServer('server', rival('strict-server.cjs')), writePeople(count)];
  const sending = [bizmsg, 'send-batch', 'order_update', file, '-p', ':name', '-p', ':city', '--quiet'];
  const imports = { name: `contacts import, ${whole(count)} rows`, words: importing(file) };
  const batches = { name: `send-batch, ${whole(count)} rows`, words: sending };
  const script = { name: 'a script with undici', words: [rival('undici-script.mjs'), server.url, file] };
  const settings = { rounds: 3, seconds: isQuick ? 80 : 300 };
  const turns = await takeTurns([imports, batches, script], settings, ({ words }) =>
    run(words, environmentOf(server), count),
  );
  const memory = { show: megabytes, most: 160e6, why: '1,000,000 rows must fit in a small container' };
  return [imports, batches].flatMap((contestant) => [
    { what: contestant.name, ...turns.compare(contestant, script), least: 0.5, why: 'each row is claimed and settled' },
    { what: `peak memory of ${contestant.name}`, figure: turns.middle(contestant, 'peak'), ...memory },
  ]);
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
      await run([...importing(writePeople(count)), '--rate', `${most}/s`], environmentOf(server));
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

/** A live batch of 1,000,000 rows: until its first message, its size, and what it costs a single send. */
async function million(isQuick) {
  const server = await startServer('server', rival('strict-server.cjs'));
  const [full, empty] = [environmentOf(server, keys.live), environmentOf(server, keys.live)];
  const words = ['send-batch', 'welcome', writePeople(1e6), '--at-most', '1000000', '--rate', '1/s', '--quiet'];
  const began = performance.now();
  const batch = launch([bizmsg, ...words], full);
  // The first request asks for the templates.
  while ((await (await fetch(server.url)).json()).taken < 2) await sleep(20);
  const first = performance.now() - began;
  batch.kill('SIGINT');
  await once(batch, 'exit');
  const { BIZMSG_STATE_DIR: folder } = full;
  const size = Math.max(...readdirSync(folder).map((name) => statSync(`${folder}/${name}`).size));
  const settings = { rounds: isQuick ? 20 : 60, seconds: 120 };
  const { middle } = await takeTurns([full, empty], settings, async (variables) => {
    const start = performance.now();
    await run([bizmsg, 'send-template', '+12025550101', 'order_update', '--again', '--quiet'], variables);
    return { took: performance.now() - start };
  });
  const more = { figure: middle(full, 'took') - middle(empty, 'took'), show: milliseconds, most: 2 };
  return [
    { what: 'to the first of 1,000,000 messages', figure: first, show: milliseconds, most: 15_000, why: 'takes hours' },
    { what: 'their database', figure: size, show: megabytes, most: 160e6, why: 'must fit on a small disk' },
    { what: 'more for a live send beside them', ...more, why: 'a single send must not load them' },
  ];
}
