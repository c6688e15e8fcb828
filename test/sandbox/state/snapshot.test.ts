import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventNames } from '../../../src/contract/events.ts';
import { openStore } from '../../../src/sandbox/state/store.ts';
import { createRandom } from '../../../src/sandbox/state/ids.ts';
import { snapshot } from '../../../src/sandbox/state/snapshot.ts';
import { eventById, type State } from '../../../src/sandbox/state/state.ts';
import { calls, type Calls, memoryJournal, type MemoryJournal, order, paths } from '../calls.ts';

/** Answers with the status in its path. */
const receiver = createServer(({ url = '' }, response) => response.writeHead(Number(url.slice(1, 4))).end());
beforeAll(() => new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)));
afterAll(() => void receiver.close());

type Draw = (below: number) => number;
type Operation = (world: Calls, draw: Draw) => unknown;

const operations: readonly Operation[] = [
  ({ post }, draw) => post(paths.send, { ...order, to: `+1202555010${draw(6)}` }),
  ({ post }, draw) => post(paths.contacts, { phone: `+1202555012${draw(9)}`, tags: ['vip'] }),
  ({ get }) => get(paths.contacts, { headers: {} }),
  ({ get }) => get(paths.templates),
  ({ clock }, draw) => clock.advance(draw(4_000)),
  ({ sandbox }, draw) => sandbox.time.advance(draw(90_000_000)),
  ({ sandbox }, draw) => sandbox.time.advance(draw(8) === 0 ? 'next-month' : 'next-minute'),
  ({ sandbox }) => sandbox.time.freeze(),
  ({ sandbox }, draw) => sandbox.keys.create('full', draw(2) === 0 ? 'live' : 'sandbox'),
  ({ sandbox }, draw) => sandbox.keys.revoke(sandbox.keys.list().slice(2)[draw(3)]?.id ?? ''),
  ({ sandbox }) => sandbox.keys.goLive(),
  ({ sandbox }, draw) => sandbox.setPlan({ name: 'growth', perMinute: 10 + draw(90), without: [] }),
  ({ sandbox }, draw) => sandbox.webhooks.add({ url: urlOf([200, 500, 410][draw(3)]), secret: secrets[draw(3)] }),
  ({ sandbox }, draw) => attempt(() => sandbox.webhooks.remove(sandbox.webhooks.list()[draw(3)]?.id ?? '')),
  ({ sandbox }, draw) => attempt(() => sandbox.webhooks.rotate(sandbox.webhooks.list()[draw(4)]?.id)),
  ({ sandbox }) => attempt(() => sandbox.redeliver('failed')),
  ({ sandbox }, draw) => attempt(() => sandbox.redeliver(sandbox.events().at(-1 - draw(5))?.id ?? '')),
  ({ sandbox }) => sandbox.faults.add({ on: ['listTemplates'], effect: { kind: 'status', status: 500 } }),
  ({ sandbox }) => sandbox.faults.add({ on: ['message.read'], effect: { kind: 'duplicate' }, times: 3 }),
  ({ sandbox }) => sandbox.faults.add({ on: ['message.delivered'], effect: { kind: 'drop' }, times: 2 }),
  ({ sandbox }, draw) => sandbox.faults.clear(sandbox.faults.list()[draw(3)]?.id ?? 'none'),
  ({ sandbox }, draw) => attempt(() => sandbox.trigger(eventNames[draw(eventNames.length)] ?? 'message.read')),
  ({ sandbox }, draw) => attempt(() => sandbox.trigger(eventNames[draw(eventNames.length)] ?? 'message.read')),
  ({ sandbox }, draw) => sandbox.trigger('message.read', { to: `+1202555010${draw(6)}` }),
  ({ sandbox }, draw) => sandbox.seed({ contacts: [{ phone: `+1202555013${draw(9)}`, name: `Name ${draw(99)}` }] }),
  ({ sandbox }, draw) => sandbox.seed({ templates: [{ name: `template_${draw(3)}`, body: 'Hi {{1}}' }] }),
];

const resets: readonly Operation[] = (['messages', 'contacts', 'logs', 'logs', 'all'] as const).map(
  (what) =>
    ({ sandbox }) =>
      sandbox.reset(what),
);

describe('a snapshot', () => {
  it.each(Array.from({ length: 25 }, (_, seed) => seed))('rebuilds the state of history %i', async (seed) => {
    const journal = memoryJournal();
    await live(journal, seed, 120);
    const state = openStore(journal).state;
    const again = rebuilt(state);
    expect(flat(again)).toEqual(flat(state));
    expect([...snapshot(again)]).toEqual([...snapshot(state)]);
    expect(identities(again)).toEqual(identities(state));
  });

  it('does not change how the sandbox continues', async () => {
    for (let seed = 100; seed < 105; seed++) {
      const [journal, small] = [memoryJournal(), memoryJournal()];
      await live(journal, seed, 60);
      small.replace(snapshot(openStore(journal).state));
      await Promise.all([live(journal, seed + 1, 40), live(small, seed + 1, 40)]);
      expect(timeless(openStore(small).state)).toEqual(timeless(openStore(journal).state));
    }
  });

  it('is short: it contains only current data', () => {
    const { sandbox, journal } = calls();
    const before = changesIn(journal);
    for (let time = 0; time < 50; time++) {
      sandbox.setPlan({ name: 'growth', perMinute: time, without: [] });
      sandbox.faults.add({ on: ['listContacts'], effect: { kind: 'hang' } });
      sandbox.faults.clear();
    }
    expect(changesIn(journal)).toBe(before + 150);
    expect([...snapshot(openStore(journal).state)].flat()).toHaveLength(before + 1);
  });
});

describe('opening a sandbox', () => {
  const settings = (count: number) =>
    Array.from({ length: count }, (_, time) => ({ type: 'clock', clock: { frozen: time } }) as const);

  it('compacts a long journal that is mostly obsolete', () => {
    const { journal } = calls();
    journal.append(settings(20_000));
    const { sandbox } = calls({ journal });
    expect(changesIn(journal)).toBeLessThan(50);
    expect(sandbox.clock.now()).toBe(19_999);
    expect(calls({ journal }).sandbox.clock.now()).toBe(19_999);
  });

  it('does not compact a short one', () => {
    const { journal } = calls();
    journal.append(settings(2_000));
    calls({ journal });
    expect(changesIn(journal)).toBeGreaterThan(2_000);
  });

  it('does not compact one with few obsolete changes', () => {
    const { journal, sandbox } = calls();
    const contacts = Array.from({ length: 11_000 }, (_, number) => ({ phone: `+1202${1_000_000 + number}` }));
    sandbox.seed({ contacts });
    const lines = journal.lines.length;
    calls({ journal });
    expect(journal.lines).toHaveLength(lines);
  });

  it('works with the long journal if compaction fails', () => {
    const { journal } = calls();
    journal.append(settings(20_000));
    const full = () => {
      throw new Error('ENOSPC');
    };
    const { warnings, sandbox } = calls({ journal: { ...journal, past: journal.past, replace: full } });
    expect(warnings).toEqual(['the journal could not be compacted: Error: ENOSPC']);
    expect(sandbox.clock.now()).toBe(19_999);
  });
});

/** Runs a random history from the seed. Every fifth history deletes nothing. */
async function live(journal: MemoryJournal, seed: number, length: number): Promise<void> {
  const random = createRandom(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  // No compaction, otherwise the test would compare two snapshots.
  const world = calls({ journal: { ...journal, past: journal.past, replace: () => {} } });
  const choices = seed % 5 === 0 ? operations : [...operations, ...resets];
  for (let step = 0; step < length; step++) await choices[draw(choices.length)]?.(world, draw);
  await world.sandbox.settled();
  world.sandbox.close();
}

function rebuilt(state: State): State {
  const small = memoryJournal();
  small.replace(snapshot(state));
  return openStore(small).state;
}

/** Keeps the order of ordered collections. */
function flat(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(flat);
  if (value instanceof Set) return [...value].map(flat);
  if (Array.isArray(value)) return value.map(flat);
  if (typeof value !== 'object' || value === null) return value;
  if (isIterable(value)) return [...value].map(flat);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, flat(inner)]));
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

/** Removes values that are random or depend on real time. */
function timeless(state: State): unknown {
  const text = JSON.stringify(flat(state))
    .replaceAll(/"took":\d+/g, '"took":0')
    .replaceAll(/(_local-|whsec_|v1,)[\w+/=]+/g, '$1');
  // Each reset creates a random data id.
  return JSON.parse(text.replaceAll(/"date":"[^"]+ GMT"/g, '"date":""').replace(/"dataId":"[^"]+"/, '"dataId":""'));
}

function identities(state: State): unknown {
  const { deliveries, webhooks, messages } = state;
  return [
    [state.events.cursor, state.calls.cursor],
    [...deliveries.values()].map(({ event, to, delivery }) => [
      eventById(state, delivery.event) === event,
      webhooks.get(to.webhook.id) === to,
    ]),
    [...messages].map(([id, { message }]) => id === message.id),
  ];
}

const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', undefined, undefined];

function urlOf(status: number | undefined): string {
  const address: AddressInfo | string | null = receiver.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/${status}`;
}

function attempt(act: () => unknown): void {
  try {
    act();
  } catch {
    // A rejected action is fine too.
  }
}

function changesIn(journal: MemoryJournal): number {
  return [...journal.past].flat().length;
}
