// 200,000 events, as fast as they are acknowledged: those that are not printed yet are to be in the journal alone.
import { megabytes, milliseconds, whole } from '../rig/table.mjs';
import { memoryOf, peakOf } from '../rig/usage.mjs';
import { eventsNow } from './events.mjs';
import { startListener } from './listeners.mjs';
import { checked } from './rows.mjs';
import { trial } from './trial.mjs';

export async function memory(isQuick) {
  const amount = isQuick ? 40_000 : 200_000;
  const server = await startListener();
  const marks = new Map([0.1, 0.5, 1].map((share) => [share * amount, share]));
  const held = [];
  const told = (count) => {
    if (marks.has(count)) held.push({ when: `${100 * marks.get(count)} % acknowledged`, bytes: memoryOf(server.pid) });
  };
  const ran = await trial(server, eventsNow(amount), { told });
  held.push(
    { when: 'all are printed', bytes: memoryOf(server.pid) },
    { when: 'the most ever', bytes: peakOf(server.pid) },
  );
  const lags = [
    { what: `from post to line, p50 of ${whole(amount)}`, value: milliseconds(ran.line50) },
    { what: `from post to line, p99 of ${whole(amount)}`, value: milliseconds(ran.line99) },
  ];
  const rows = [...memoryRows(held, isQuick), ...lags, ...checked(server, [ran], amount)];
  await server.end();
  return rows;
}

/** Beside the first and beside half-way, by when it has made room for its work. */
function memoryRows([first, half, ...rest], isQuick) {
  // Where nothing tells.
  if (first.bytes === undefined) return [];
  const row = ({ when, bytes }, other, most) => ({
    what: `resident memory, ${when}`,
    value: megabytes(bytes),
    ...(other && { ratios: [bytes / other.bytes], rival: `with ${other.when}` }),
    // The short form is over before that.
    ...(!isQuick && { most }),
  });
  return [row(first), row(half, first, 1.5), ...rest.flatMap((one) => [row(one, first, 1.5), row(one, half, 1.15)])];
}
