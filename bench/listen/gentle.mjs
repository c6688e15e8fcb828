// 200 events a second, a load without queues.
import { milliseconds } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { eventsNow } from './events.mjs';
import { startListener, startResend } from './listeners.mjs';
import { trial } from './trial.mjs';

const perSecond = 200;

export async function gentle(isQuick) {
  const resend = await startResend();
  if (resend.unmeasured) return [resend];
  const own = await startListener();
  const [rounds, seconds] = isQuick ? [1, 2] : [3, 5];
  const { median, ratios } = await takeTurns([own, resend], { rounds, seconds: 90 }, (server) =>
    trial(server, eventsNow(perSecond * seconds), { perSecond }),
  );
  await Promise.all([own, resend].map(({ end }) => end()));
  return [
    {
      what: `from post to line at ${perSecond}/s, p50`,
      value: milliseconds(median(own, 'line50')),
      rival: `${resend.name}: ${milliseconds(median(resend, 'line50'))}`,
      ratios: ratios(own, resend, 'line50'),
      most: 2,
      why: 'a person waits for the line of the message just sent',
      note: `p99 ${milliseconds(median(own, 'line99'))}, ${milliseconds(median(resend, 'line99'))} there`,
    },
  ];
}
