// Applies a load of 64 connections with autocannon, and compares servers under it.
import { createRequire } from 'node:module';
import { install } from '../rig/install.mjs';
import { at } from '../rig/quantiles.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { cpuOf } from '../rig/usage.mjs';
import { requestOf } from './requests.mjs';

const connections = 64;
let autocannon;

/** Sends requests as fast as they are answered. */
export async function load({ name, url, key, pid }, kind, amount) {
  autocannon ??= createRequire(import.meta.url)(install('autocannon', '9.0.0'));
  const [times, before] = [new Float64Array(amount), cpuOf(pid)];
  let [count, refused, begun, last] = [0, 0, 0, 0];
  const requests = Array.from({ length: kind.differs ? Math.ceil(amount / connections) : 1 });
  // autocannon sets up all clients before it connects.
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
    throw new Error(`${name}, ${amount} x ${kind.name}: ${refused} refused, ${errors} failed`);
  const cpu = before === undefined ? undefined : (cpuOf(pid) - before) / amount;
  const seconds = (last - begun) / 1_000;
  return { seconds, perSecond: amount / seconds, p99: at(0.99, times), cpu };
}

/** Runs all contestants in each round, with the same requests. */
export function duel(contestants, kind, { amount, ...settings }) {
  return takeTurns(contestants, settings, (contestant) => load(contestant, kind, amount));
}
