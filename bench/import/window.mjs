// Imports to a server with a strict sliding window: no row may be refused, and the whole import may take no longer than
// the window requires after the rows of the first one, which take the time of the wire. The server measures the time
// from the first to the last accepted row.
import { join } from 'node:path';
import { rivals, startServer } from '../rig/processes.mjs';
import { milliseconds, whole } from '../rig/table.mjs';
import { csv } from './rows.mjs';
import { runImport } from './runs.mjs';

export async function window(isQuick) {
  const share = isQuick ? 0.4 : 1;
  const [fast, slow] = [await paced(100, 1_000 * share), await paced(20, 200 * share)];
  const what = 'rows refused with 429, of both';
  const refused = {
    what,
    figure: fast.refused + slow.refused,
    show: whole,
    most: 0,
    why: 'bizmsg knows the limit and waits for it',
  };
  return [fast.row, slow.row, refused];
}

async function paced(most, count) {
  const rounds = [];
  for (let round = 0; round < 3; round += 1) rounds.push(await onePaced(most, count));
  const { span, least } = rounds.sort((one, other) => ratioOf(one) - ratioOf(other))[1];
  const row = {
    what: `${whole(count)} rows at a strict ${most}/s`,
    value: milliseconds(span),
    rival: `the least possible: ${milliseconds(least)}`,
    ratios: rounds.map(ratioOf),
    most: 1.01,
    why: 'uses the whole rate that is paid for',
  };
  return { row, refused: rounds.reduce((sum, { refused }) => sum + refused, 0) };
}

async function onePaced(most, count) {
  const server = await startServer('strict', '', join(rivals, 'strict-server.cjs'), String(most), '1000');
  await runImport(server, { file: csv(count), count, words: ['--rate', `${most}/s`] });
  const result = await (await fetch(server.url)).json();
  await server.end();
  if (result.taken !== count) throw new Error(`the server accepted ${result.taken} of ${count} rows`);
  return result;
}

function ratioOf({ span, least }) {
  return span / least;
}
