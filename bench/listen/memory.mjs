// 200,000 events, as fast as they are acknowledged. Unprinted events must be kept in the journal, not in memory.
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
  const onAcknowledged = (count) => {
    if (marks.has(count)) held.push({ when: `${100 * marks.get(count)} % acknowledged`, bytes: memoryOf(server.pid) });
  };
  const ran = await trial(server, eventsNow(amount), { onAcknowledged });
  held.push({ when: 'all printed', bytes: memoryOf(server.pid) }, { when: 'peak', bytes: peakOf(server.pid) });
  const lags = [
    { what: `from post to line, p50 of ${whole(amount)}`, value: milliseconds(ran.line50) },
    { what: `from post to line, p99 of ${whole(amount)}`, value: milliseconds(ran.line99) },
  ];
  const rows = [...memoryRows(held, isQuick), ...lags, ...checked(server, [ran], amount)];
  await server.end();
  return rows;
}

/** Compares with the start, and with halfway, when the heap has grown to its working size. */
function memoryRows([first, half, ...rest], isQuick) {
  // Memory is known only on Linux.
  if (first.bytes === undefined) return [];
  const row = ({ when, bytes }, other, most) => ({
    what: `resident memory, ${when}`,
    value: megabytes(bytes),
    ...(other && { ratios: [bytes / other.bytes], rival: `with ${other.when}` }),
    // The short form ends before that.
    ...(!isQuick && { most }),
  });
  return [row(first), row(half, first, 1.5), ...rest.flatMap((one) => [row(one, first, 1.5), row(one, half, 1.15)])];
}
