// Applies a load to a listener, and measures when it acknowledges and prints.
import { at } from '../rig/quantiles.mjs';
import { cpuOf } from '../rig/usage.mjs';
import { messageOf } from './events.mjs';
import { sendAll } from './sender.mjs';

/** Runs until the last event is acknowledged and printed. `cpu` is in microseconds per event. */
export async function trial(server, events, options) {
  const before = cpuOf(server.pid);
  const printing = printedBy(server, events.length);
  // If sending fails, its error is reported instead.
  printing.catch(() => {});
  const { began, sent, acknowledged } = await sendAll(server, events, options);
  // Parsed at the end, because the sender shares this thread.
  const lines = (await printing).map(({ line, at: time }) => ({ n: server.numberIn(JSON.parse(line)), at: time }));
  const lags = Float64Array.from(lines, ({ n, at: time }) => time - sent[n]);
  return {
    perSecond: rate(acknowledged, began),
    printedPerSecond: rate(
      lines.map(({ at: time }) => time),
      began,
    ),
    line50: at(0.5, lags),
    line99: at(0.99, lags),
    isOnce: new Set(lines.map(({ n }) => n)).size === sent.length,
    isOrdered: isOrdered(lines),
    cpu: before === undefined ? undefined : (cpuOf(server.pid) - before) / events.length,
  };
}

function rate(times, began) {
  return times.length / ((at(1, times) - began) / 1_000);
}

function printedBy({ name, lines }, count) {
  return new Promise((resolve, reject) => {
    const printed = [];
    const fail = () => reject(new Error(`${name} exited after printing ${printed.length} of ${count} events`));
    const take = (line) => {
      if (printed.push({ line, at: performance.now() }) < count) return;
      lines.off('line', take).off('close', fail);
      resolve(printed);
    };
    lines.on('line', take).on('close', fail);
  });
}

function isOrdered(lines) {
  const last = new Map();
  return lines.every(({ n }) => {
    const before = last.get(messageOf(n)) ?? -1;
    last.set(messageOf(n), n);
    return n > before;
  });
}
