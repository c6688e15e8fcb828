// 20,000 events, as fast as they are acknowledged.
import { takeTurns } from '../rig/turns.mjs';
import { eventsNow } from './events.mjs';
import { startAll } from './listeners.mjs';
import { beside, checked } from './rows.mjs';
import { trial } from './trial.mjs';

const amount = 20_000;
const fields = ['perSecond', 'printedPerSecond', 'line50', 'line99', 'answer50', 'answer99'];

export async function rates(isQuick) {
  const { own, rivals, rows } = await startAll();
  const trials = [];
  const result = await takeTurns([own, ...rivals], { rounds: isQuick ? 3 : 9, seconds: 90 }, async (server) => {
    const done = await trial(server, eventsNow(amount));
    if (server === own) trials.push(done);
    return done;
  });
  const [bare] = rivals;
  for (const rival of rivals) {
    const [acknowledged, printed, ...rest] = beside(result, { own, rival, load: '', fields });
    rows.push(
      { ...acknowledged, ...(rival === bare && { least: 0.5 }) },
      { ...printed, cpu: result.cpu(own, rival) },
      ...rest,
    );
  }
  rows.push(...checked(own, trials, amount));
  await Promise.all([own, ...rivals].map(({ end }) => end()));
  return rows;
}
