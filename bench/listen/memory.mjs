// 200,000 events, as fast as they are acknowledged. Unprinted events must wait in the logs, not in memory.
import { megabytes, whole } from '../rig/table.mjs';
import { memoryOf, peakOf } from '../rig/usage.mjs';
import { eventsNow } from './events.mjs';
import { startListener } from './listeners.mjs';
import { trial } from './trial.mjs';

const amount = 200_000;

export async function memory() {
  const server = await startListener();
  let early;
  const onAcknowledged = (count) => {
    if (count === amount / 10) early = memoryOf(server.pid);
  };
  await trial(server, eventsNow(amount), { onAcknowledged });
  const peak = peakOf(server.pid);
  await server.end();
  const what = `peak memory, ${whole(amount)} events at once`;
  if (peak === undefined) return [{ what, unmeasured: 'known only on Linux' }];
  return [
    {
      what,
      value: megabytes(peak),
      rival: `after a tenth of them: ${megabytes(early)}`,
      ratios: [peak / early],
      most: 1.5,
      why: 'unprinted events wait in the logs, not in memory',
    },
  ];
}
