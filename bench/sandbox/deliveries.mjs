// The same requests while 5,000 deliveries wait for a receiver that takes 2 s to answer, beside a sandbox that holds
// the same and has no webhook. The webhook hears of new contacts only, so that no request measured adds to its queue.
import { join } from 'node:path';
import { duel, load } from './load.mjs';
import { rivals, startSandbox, startServer, tell } from './processes.mjs';
import { create, list, send } from './requests.mjs';
import { whole } from './table.mjs';

const queued = 5_000;

export async function deliveries(isQuick) {
  const receiver = await startServer('receiver', '', join(rivals, 'slow-receiver.cjs'), '2000');
  const [busy, calm] = [await startSandbox('deliveries waiting'), await startSandbox('no webhook')];
  tell(busy, 'webhooks', 'add', receiver.url, '--events', 'contact.created');
  for (const sandbox of [busy, calm]) await load(sandbox, create, queued);
  const rows = [];
  for (const [kind, amount] of [
    [list, 8_000],
    [send, 16_000],
  ]) {
    const rounds = isQuick ? 3 : kind.aftermath ? 5 : 9;
    const { median, ratios } = await duel([busy, calm], kind, { rounds, amount: isQuick ? amount / 2 : amount });
    rows.push({
      what: `${kind.name}, ${whole(waiting(busy))} ${busy.name}`,
      value: `${whole(median(busy, 'perSecond'))}/s`,
      ratios: ratios(busy, calm, 'perSecond'),
      rival: calm.name,
      least: 0.9,
    });
  }
  await Promise.all([busy, calm, receiver].map(({ end }) => end()));
  return rows;
}

function waiting(sandbox) {
  return JSON.parse(tell(sandbox, 'deliveries', '--waiting', '-o', 'json')).length;
}
