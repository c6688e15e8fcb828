// Measures sequential requests to a sandbox with many contacts, and to an empty one.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { median } from '../rig/quantiles.mjs';
import { milliseconds } from '../rig/table.mjs';
import { create, requestOf } from './requests.mjs';

// The number of initial contacts of a sandbox, so that every page has the same size.
const page = '/api/public/contacts?limit=5';
const batch = 100;

export async function latencies(full, empty, batches) {
  const [first, last] = [page, await deepest(full)].map((path) => ({ method: 'GET', path }));
  const pairs = [
    { what: `one new contact, ${full.name}`, full: create, empty: create },
    { what: `the last page of a list, ${full.name}`, full: last, empty: first },
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
  return pairs.map(({ what }, ordinal) => rowOf(what, times[ordinal], empty.name));
}

function rowOf(what, { full, empty }, rival) {
  return {
    what,
    value: milliseconds(median(full.flat())),
    rival: `${rival}: ${milliseconds(median(empty.flat()))}`,
    ratios: full.map((batch, round) => median(batch) / median(empty[round])),
    most: 1.5,
    why: 'time must not grow with the number of contacts',
  };
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
