// 200 events a second, a load without queues.
import { takeTurns } from '../rig/turns.mjs';
import { eventsNow } from './events.mjs';
import { startAll } from './listeners.mjs';
import { beside } from './rows.mjs';
import { trial } from './trial.mjs';

const perSecond = 200;
const fields = ['line50', 'line99', 'answer50', 'answer99'];

export async function gentle(isQuick) {
  const { own, rivals, rows } = await startAll();
  const [rounds, seconds] = isQuick ? [1, 2] : [3, 5];
  const result = await takeTurns([own, ...rivals], { rounds, seconds: 90 }, (server) =>
    trial(server, eventsNow(perSecond * seconds), { perSecond }),
  );
  const load = ` at ${perSecond}/s`;
  rows.push(...rivals.flatMap((rival) => beside(result, { own, rival, load, fields })));
  await Promise.all([own, ...rivals].map(({ end }) => end()));
  return rows;
}
