// A load of 64 connections by autocannon, and duels under it.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { install } from './install.mjs';
import { requestOf } from './requests.mjs';
import { cpuOf } from './usage.mjs';

const connections = 64;
let autocannon;

/** So many requests, as fast as they are answered. */
export async function load({ name, url, key, pid, isSandbox }, kind, amount) {
  autocannon ??= createRequire(import.meta.url)(install('autocannon', '9.0.0'));
  const [times, before] = [new Float64Array(amount), cpuOf(pid)];
  let [count, refused, begun, last] = [0, 0, 0, 0];
  const requests = Array.from({ length: kind.differs ? Math.ceil(amount / connections) : 1 });
  // It sets up all its clients before any of them is connected.
  const setupClient = (client) => {
    client.setRequests(requests.map(() => requestOf(kind, key)));
    begun = performance.now();
  };
  const run = autocannon({ url, connections, amount, sampleInt: 50, setupClient });
  run.on('response', (_, status, __, took) => {
    times[count++] = took;
    last = performance.now();
    if (status >= 300) refused += 1;
  });
  const { errors } = await run;
  if (errors + refused > 0 || count !== amount)
    throw new Error(`${name}: of ${amount} ${kind.name}, ${refused} were refused and ${errors} failed`);
  const cpu = before === undefined ? undefined : (cpuOf(pid) - before) / amount;
  if (isSandbox) await sleep(kind.aftermath ?? 0);
  const seconds = (last - begun) / 1_000;
  return { seconds, perSecond: amount / seconds, p99: at(0.99, times), cpu };
}

/**
 * Each of them in every round, forwards and backwards in turns. The first round only warms them up, and no other
 * begins after so many seconds.
 */
export async function duel(contestants, kind, { rounds, amount, seconds }) {
  const runs = new Map(contestants.map((contestant) => [contestant, []]));
  const end = performance.now() + seconds * 1_000;
  for (let round = -1; round < rounds && (round < 1 || performance.now() < end); round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const ran = await load(contestant, kind, amountFor(contestant, amount));
      if (round >= 0) runs.get(contestant).push(ran);
    }
  }
  const each = (contestant, field) => runs.get(contestant).map((run) => run[field]);
  const ratios = (one, other, field) => each(one, field).map((value, round) => value / each(other, field)[round]);
  return {
    median: (contestant, field) => median(each(contestant, field)),
    /** Of one to the other, round by round. */
    ratios,
    /** How often one answers while the other answers once, and for the same CPU. */
    pace: (one, other) => ({
      ratios: ratios(one, other, 'perSecond'),
      cpu: each(one, 'cpu').includes(undefined) ? undefined : median(ratios(other, one, 'cpu')),
    }),
  };
}

/** The slow ones have fewer to answer, so that no round takes long. */
function amountFor({ share = 1 }, amount) {
  return Math.max(connections, Math.round(amount * share));
}

export function median(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** So much of them is not larger. */
export function at(share, numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
