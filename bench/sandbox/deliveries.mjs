// Measures requests while 5,000 deliveries wait for a receiver that responds after 2 s, compared with a sandbox without
// webhooks. The webhook gets only contact.created, so that measured requests do not add to its queue.
import { join } from 'node:path';
import { rivals, startServer } from '../rig/processes.mjs';
import { perSecond, whole } from '../rig/table.mjs';
import { duel, load } from './load.mjs';
import { create, list } from './requests.mjs';
import { startSandbox, runCommand } from './sandboxes.mjs';

const queued = 5_000;

export async function deliveries(isQuick) {
  const receiver = await startServer('receiver', '', join(rivals, 'slow-receiver.cjs'), '2000');
  const [busy, calm] = [await startSandbox('deliveries waiting'), await startSandbox('no webhook')];
  runCommand(busy, 'webhooks', 'add', receiver.url, '--events', 'contact.created');
  for (const sandbox of [busy, calm]) await load(sandbox, create, queued);
  const settings = isQuick ? { rounds: 3, amount: 4_000, seconds: 10 } : { rounds: 9, amount: 8_000, seconds: 30 };
  const { median, pace } = await duel([busy, calm], list, settings);
  const what = `${list.name}, ${whole(waiting(busy))} ${busy.name}`;
  await Promise.all([busy, calm, receiver].map(({ end }) => end()));
  return [
    {
      what,
      value: perSecond(median(busy, 'perSecond')),
      rival: `${calm.name}: ${perSecond(median(calm, 'perSecond'))}`,
      ...pace(busy, calm),
      least: 0.9,
      leastByCpu: 0.9,
      why: 'a slow receiver of webhooks must not slow the API',
    },
  ];
}

function waiting(sandbox) {
  return JSON.parse(runCommand(sandbox, 'deliveries', '--waiting', '-o', 'json')).length;
}
