// Compares with shell scripts that run curl for each row, one at a time or 16 in parallel.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment, rivals, startServer } from '../rig/processes.mjs';
import { perSecond, whole } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { bodies, csv } from './rows.mjs';
import { key, runImport } from './runs.mjs';

const curl = 'curl -sS -o /dev/null -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" "$URL"';
const scripts = {
  'a loop of curl': `while IFS= read -r body; do ${curl} --data-raw "$body" < /dev/null; done < "$FILE"`,
  'xargs -P 16 curl': `tr '\\n' '\\0' < "$FILE" | xargs -0 -n 1 -P 16 ${curl} --data-raw`,
};

export async function loops(isQuick) {
  const count = isQuick ? 500 : 2_000;
  if (spawnSync('curl', ['--version']).status !== 0)
    return [{ what: 'curl is unavailable', value: '', note: 'not found' }];
  const server = await startServer('server', '', join(rivals, 'answer-server.cjs'));
  const own = { name: 'contacts import', run: () => runImport(server, { file: csv(count), count }) };
  const loops = Object.entries(scripts).map(([name, script]) => ({ name, run: () => loop(server, script, count) }));
  const settings = { rounds: isQuick ? 1 : 3, seconds: 60 };
  const { median, ratios } = await takeTurns([own, ...loops], settings, ({ run }) => run());
  await server.end();
  return loops.map((rival) => ({
    what: `rows, of ${whole(count)}`,
    value: perSecond(median(own, 'perSecond')),
    ratios: ratios(own, rival, 'perSecond'),
    rival: rival.name,
    note: `${perSecond(median(rival, 'perSecond'))} there`,
  }));
}

function loop({ url }, script, count) {
  const env = environment({ KEY: key, URL: `${url}/api/public/contacts`, FILE: bodies(count) });
  const began = performance.now();
  const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: exit ${status}: ${stderr}`);
  return { perSecond: (1_000 * count) / (performance.now() - began) };
}
