// Measures sequential requests to a sandbox with many contacts, and to an empty one.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { at, median } from '../rig/quantiles.mjs';
import { milliseconds } from '../rig/table.mjs';
import { create, requestOf, send } from './requests.mjs';

// The number of initial contacts of a sandbox, so that every page has the same size.
const page = '/api/public/contacts?limit=5';
const batch = 100;

export async function latencies(full, empty, batches) {
  const [begin, deep] = [
    { method: 'GET', path: page },
    { method: 'GET', path: await deepest(full) },
  ];
  const pairs = [
    { what: 'one send', full: send, empty: send },
    { what: 'one new contact', full: create, empty: create },
    { what: 'one list page, the first', full: begin, empty: begin },
    { what: 'one list page, the last', full: deep, empty: begin },
  ];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = pairs.map(() => ({ full: [], empty: [] }));
  for (let round = -1; round < batches; round++) {
    for (const [ordinal, pair] of pairs.entries()) {
      for (const [which, sandbox] of Object.entries({ full, empty })) {
        const took = await oneByOne(sandbox, pair[which], agent);
        if (round >= 0) times[ordinal][which].push(took);
      }
    }
  }
  agent.destroy();
  return pairs.flatMap(({ what }, ordinal) => rowsOf(what, times[ordinal], empty.name));
}

function rowsOf(what, times, rival) {
  const [full, empty] = [times.full.flat(), times.empty.flat()];
  const ratios = times.full.map((batch, round) => median(batch) / median(times.empty[round]));
  const slowest = at(0.99, full);
  return [
    { what: `${what}, median`, value: milliseconds(median(full)), ratios, rival, most: 1.5 },
    { what: `${what}, p99`, value: milliseconds(slowest), ratios: [slowest / at(0.99, empty)], rival, most: 2 },
  ];
}

async function oneByOne(sandbox, kind, agent) {
  const times = [];
  for (let done = 0; done < batch; done++) {
    const { path, body, ...options } = requestOf(kind, sandbox.key);
    const begun = performance.now();
    const asked = request(sandbox.url + path, { ...options, agent }).end(body);
    const [answer] = await once(asked, 'response');
    await once(answer.resume(), 'end');
    times.push(performance.now() - begun);
    if (answer.statusCode >= 300) throw new Error(`${sandbox.name}: ${answer.statusCode} to ${kind.method} ${path}`);
  }
  return times;
}

/** Returns the path of the last page, by following the cursors. */
async function deepest({ url, key }) {
  const headers = { authorization: `Bearer ${key}` };
  for (let cursor = ''; ;) {
    const rest = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await fetch(`${url}/api/public/contacts?limit=1000${rest}`, { headers });
    const { next_cursor: next } = await answer.json();
    if (!next) return page + rest;
    cursor = next;
  }
}
