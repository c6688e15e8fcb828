import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { margin } from '../../../src/client/pace/minute.ts';
import { type RequestEnd, minimumDuration, type Pace, type Release } from '../../../src/client/pace/pace.ts';
import { createPace } from '../../../src/client/pace/slots.ts';
import { createVirtualTime, settled, type VirtualTime } from '../virtual.ts';

interface Load {
  readonly rows: number;
  readonly perWindow: number;
  readonly window: number;
  readonly concurrency: number;
  /** The duration of a request, and the moment in it when the service counts it, from 0 to 1. */
  readonly service: (row: number) => { readonly time: number; readonly counted: number };
}

interface Seen {
  readonly left: number;
  readonly counted: number;
  readonly over: number;
}

/** Sends rows at a pace to a simulated service. */
async function simulate({ rows, perWindow, window, concurrency, service }: Load): Promise<readonly Seen[]> {
  const time = createVirtualTime();
  const pace = createPace({ limits: [{ perWindow, window }], ...time });
  const { signal } = new AbortController();
  const seen: Seen[] = [];
  let next = 0;
  const work = async () => {
    while (next < rows) {
      const { time: taken, counted } = service(next++);
      const release = await pace.slot(signal);
      const left = time.now();
      await new Promise<void>((resolve) => void time.later(taken, resolve));
      seen.push({ left, counted: left + Math.round((time.now() - left) * counted), over: time.now() });
      release('done');
    }
  };
  const all = Promise.all(Array.from({ length: concurrency }, work));
  await time.pass();
  await all;
  return seen;
}

/** The largest number of requests that the service counted in a window, both ends included. */
function most(seen: readonly Seen[], window: number): number {
  const times = seen.map(({ counted }) => counted).sort((a, b) => a - b);
  return Math.max(...times.map((end) => times.filter((time) => time <= end && time >= end - window).length));
}

const first = ({ left }: Seen, other: Seen) => left - other.left;

describe('a pace with a known limit', () => {
  it.each([
    [1, 100, 1, 5],
    [1, 100, 4, 5],
    [3, 1_000, 2, 10],
    [10, 1_000, 3, 40],
    [10, 1_000, 16, 200],
    [10, 50, 16, 200],
    [54, 60_000, 16, 90],
    [270, 60_000, 16, 35],
  ])(
    'takes the minimum time for %s per window of %s ms, %s in flight, %s ms each',
    async (perWindow, window, concurrency, taken) => {
      const rows = perWindow * 3 + 1;
      const seen = await simulate({
        rows,
        perWindow,
        window,
        concurrency,
        service: () => ({ time: taken, counted: 1 }),
      });
      const expected: Seen[] = [];
      for (let row = 0; row < rows; row++) {
        const room = (expected[row - perWindow]?.over ?? -Infinity) + window + margin;
        const left = Math.max(0, room, expected[row - concurrency]?.over ?? 0);
        expected.push({ left, counted: left + taken, over: left + taken });
      }
      expect(seen.toSorted(first)).toEqual(expected);
      expect(most(seen, window)).toBeLessThanOrEqual(perWindow);
    },
  );

  it('is as fast as minimumDuration(), except for the duration of requests and a margin per window', async () => {
    const [perWindow, window] = [300, 60_000];
    const load = { rows: 901, perWindow, window, concurrency: 300, service: () => ({ time: 1, counted: 0 }) };
    const seen = await simulate(load);
    const least = minimumDuration({ perWindow, window }, 901);
    expect(least).toBe(180_000);
    expect(Math.max(...seen.map(({ over }) => over))).toBe(180_000 + 3 * (margin + 1) + 1);
  });

  it('never exceeds the limit in any window, whenever the service counts a request', async () => {
    const load = fc.record({
      rows: fc.integer({ min: 1, max: 60 }),
      perWindow: fc.integer({ min: 1, max: 12 }),
      window: fc.integer({ min: 5, max: 400 }),
      concurrency: fc.integer({ min: 1, max: 20 }),
      services: fc.array(
        fc.record({ time: fc.integer({ min: 1, max: 300 }), counted: fc.constantFrom(0, 0.3, 0.5, 1) }),
        { minLength: 1, maxLength: 7 },
      ),
    });
    const property = fc.asyncProperty(load, async ({ services, ...given }) => {
      const service = (row: number) => services[row % services.length] ?? { time: 1, counted: 0 };
      const seen = await simulate({ ...given, service });
      expect(seen).toHaveLength(given.rows);
      expect(most(seen, given.window)).toBeLessThanOrEqual(given.perWindow);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('leaves no slot unused while requests wait', async () => {
    const service = (row: number) => ({ time: 5 + ((row * 37) % 90), counted: 0.5 });
    const seen = (await simulate({ rows: 40, perWindow: 7, window: 300, concurrency: 40, service })).toSorted(first);
    const over = seen.map((one) => one.over).sort((a, b) => a - b);
    const room = seen.map((_, row) => (row < 7 ? 0 : (over[row - 7] ?? 0) + 300 + margin));
    expect(seen.map(({ left }) => left)).toEqual(room);
  });
});

const neverAborted = new AbortController().signal;

/** Requests a slot, and records its name when it gets the slot. */
function ask(
  pace: Pace,
  name: string,
  to: string[],
  signal = neverAborted,
  again = false,
): Promise<Release | undefined> {
  return Promise.resolve(pace.slot(signal, again)).then(
    (release) => {
      to.push(name);
      return release;
    },
    () => void to.push(`${name} aborted`),
  );
}

function paced({ perWindow, window = 60_000 }: { readonly perWindow?: number; readonly window?: number }): {
  readonly time: VirtualTime;
  readonly pace: Pace;
  readonly granted: string[];
} {
  const time = createVirtualTime();
  const limits = perWindow === undefined ? [] : [{ perWindow, window }];
  return { time, pace: createPace({ limits, ...time }), granted: [] };
}

/** A slot that is available immediately. */
function freeSlot(pace: Pace): Release {
  const slot = pace.slot(neverAborted);
  if (typeof slot === 'function') return slot;
  throw new Error('the slot is not free');
}

describe('a pace', () => {
  it.each([5, undefined])('creates no promise and no timer while slots are free (%s per window)', (perWindow) => {
    const { pace, time } = paced(perWindow === undefined ? {} : { perWindow });
    for (let row = 0; row < 5; row++) freeSlot(pace)('done');
    expect(time.set()).toBe(0);
  });

  it('grants slots in the order of requests', async () => {
    const { pace, time, granted } = paced({ perWindow: 2, window: 100 });
    freeSlot(pace)('done');
    freeSlot(pace)('done');
    const asked = ['a', 'b', 'c'].map(async (name) => (await ask(pace, name, granted))?.('done'));
    await time.pass();
    await Promise.all(asked);
    expect(granted).toEqual(['a', 'b', 'c']);
  });

  it('grants a slot to a retry first', async () => {
    const { pace, time, granted } = paced({ perWindow: 1, window: 100 });
    freeSlot(pace)('done');
    const asked = ask(pace, 'a', granted);
    const repeated = ask(pace, 'repeated', granted, neverAborted, true);
    await time.pass(100 + margin);
    expect(granted).toEqual(['repeated']);
    (await repeated)?.('unsent');
    await asked;
    expect(granted).toEqual(['repeated', 'a']);
  });

  it('grants the slot of an aborted request to the next, and stops its timer after the last', async () => {
    const { pace, time, granted } = paced({ perWindow: 1, window: 100 });
    const user = new AbortController();
    freeSlot(pace)('done');
    const asked = [ask(pace, 'a', granted, user.signal), ask(pace, 'b', granted)];
    user.abort();
    await time.pass();
    await Promise.all(asked);
    expect(granted).toEqual(['a aborted', 'b']);
    expect(time.now()).toBe(100 + margin);
  });

  it('stops its timer when the last waiting request is aborted', async () => {
    const { pace, time, granted } = paced({ perWindow: 1, window: 100 });
    const user = new AbortController();
    freeSlot(pace)('done');
    const asked = ask(pace, 'a', granted, user.signal);
    user.abort();
    await asked;
    await time.pass();
    expect(time.now()).toBe(0);
  });

  it('listens once to a signal that many requests share', () => {
    const { pace } = paced({ perWindow: 1 });
    const user = new AbortController();
    freeSlot(pace);
    for (let row = 0; row < 20; row++) void pace.slot(user.signal);
    expect(getEventListeners(user.signal, 'abort')).toHaveLength(1);
  });

  it('refuses a request whose signal is aborted', async () => {
    const { pace, granted } = paced({ perWindow: 1 });
    await ask(pace, 'a', granted, AbortSignal.abort());
    expect(granted).toEqual(['a aborted']);
    expect(pace.slot(neverAborted)).toBeTypeOf('function');
  });

  it('grants the slot of a request that was not sent to the next immediately', async () => {
    const { pace, time, granted } = paced({ perWindow: 1 });
    const release = freeSlot(pace);
    const asked = ask(pace, 'a', granted);
    release('unsent');
    await asked;
    expect(granted).toEqual(['a']);
    expect(time.now()).toBe(0);
  });

  it.each([5, undefined])('holds all requests (%s per window)', async (perWindow) => {
    const { pace, time, granted } = paced(perWindow === undefined ? {} : { perWindow });
    pace.hold(700);
    pace.hold(300);
    const asked = [ask(pace, 'a', granted), ask(pace, 'b', granted)];
    await time.pass(699);
    expect(granted).toEqual([]);
    await time.pass(1);
    await Promise.all(asked);
    expect(granted).toEqual(['a', 'b']);
  });

  it('extends a hold', async () => {
    const { pace, time, granted } = paced({});
    pace.hold(100);
    const asked = ask(pace, 'a', granted);
    await time.pass(50);
    pace.hold(200);
    await time.pass(199);
    expect(granted).toEqual([]);
    await time.pass();
    await asked;
    expect(time.now()).toBe(250);
  });
});

describe('after a 429', () => {
  /** Names of the requests granted when the hold ends, and after the first has ended. */
  async function grantedAfter(ended: RequestEnd): Promise<readonly string[]> {
    const { pace, time, granted } = paced({});
    const [refused, other] = [freeSlot(pace), freeSlot(pace)];
    pace.hold(1_000);
    refused('limited');
    other('done');
    const asked = ['a', 'b', 'c'].map((name) => ask(pace, name, granted));
    await time.pass(1_000);
    const probing = granted.join(' ');
    (await asked[0])?.(ended);
    await settled();
    return [probing, granted.join(' ')];
  }

  it.each([
    ['all others if it succeeds', 'done', 'a b c'],
    ['one other if it was not sent', 'unsent', 'a b'],
    ['one other if it gets a 429 again', 'limited', 'a b'],
  ] as const)('sends one request when the hold ends, and then %s', async (_, ended, all) => {
    expect(await grantedAfter(ended)).toEqual(['a', all]);
  });
});
