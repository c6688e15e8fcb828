// Imports to a server with a strict sliding window: no row may be refused, and the whole import may take no longer than
// the window requires. The server measures the time from the first to the last accepted row.
import { join } from 'node:path';
import { rivals, startServer } from '../rig/processes.mjs';
import { milliseconds, whole } from '../rig/table.mjs';
import { csv } from './rows.mjs';
import { runImport } from './runs.mjs';

export async function window(isQuick) {
  const share = isQuick ? 0.4 : 1;
  return [...(await paced(100, 1_000 * share)), ...(await paced(20, 200 * share))];
}

async function paced(most, count) {
  const server = await startServer('strict', '', join(rivals, 'strict-server.cjs'), String(most), '1000');
  await runImport(server, { file: csv(count), count, words: ['--rate', `${most}/s`] });
  const { taken, refused, span } = await (await fetch(server.url)).json();
  await server.end();
  if (taken !== count) throw new Error(`the server accepted ${taken} of ${count} rows`);
  const least = (Math.ceil(count / most) - 1) * 1_000;
  const what = `${whole(count)} rows at ${most}/s`;
  return [
    {
      what: `${what}, time`,
      value: milliseconds(span),
      ratios: [span / least],
      rival: milliseconds(least),
      most: 1.01,
    },
    { what: `${what}, refused`, value: whole(refused), ratios: [refused], rival: 'none', most: 0 },
  ];
}
