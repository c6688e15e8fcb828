// 2,000 events with a nested body of 4 KB, to a listener with the right secret and one with a wrong secret. A bad
// signature must not be diagnosed for each event.
import { perSecond } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { eventsNow } from './events.mjs';
import { startListener } from './listeners.mjs';
import { trial } from './trial.mjs';

const amount = 2_000;
const known = `whsec_${Buffer.from('another secret of the benchmark').toString('base64')}`;

export async function secret(isQuick) {
  const right = await startListener({ name: 'the right secret' });
  const wrong = await startListener({ name: 'the wrong secret', known, verdict: 'bad' });
  const more = { nested: nested(4) };
  const { ratios, median, cpu } = await takeTurns([wrong, right], { rounds: isQuick ? 5 : 15, seconds: 60 }, (server) =>
    trial(server, eventsNow(amount, more)),
  );
  await Promise.all([wrong, right].map(({ end }) => end()));
  return [
    {
      what: 'events printed, 4 KB, the wrong secret',
      value: perSecond(median(wrong, 'printedPerSecond')),
      rival: `${right.name}: ${perSecond(median(right, 'printedPerSecond'))}`,
      ratios: ratios(wrong, right, 'printedPerSecond'),
      cpu: cpu(wrong, right),
      least: 0.8,
      leastByCpu: 0.8,
      why: 'a wrong secret is explained once, not for each event',
    },
  ];
}

/** An object with four fields per level. */
function nested(depth) {
  if (depth === 0) return 'value';
  return Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [`${name}${depth}`, nested(depth - 1)]));
}
