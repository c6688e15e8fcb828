import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPace, type Ended, leastTime, margin, type Pace, type Release } from '../../src/client/pace/pace.ts';
import { createVirtualTime, settled, type VirtualTime } from './virtual.ts';

interface Load {
  readonly rows: number;
  readonly perWindow: number;
  readonly window: number;
  readonly concurrency: number;
  /** How long the answer to a request takes, and when in that time the service counts it, from 0 to 1. */
  readonly service: (row: number) => { readonly time: number; readonly counted: number };
}

interface Seen {
  readonly left: number;
  readonly counted: number;
  readonly over: number;
}

/** So many rows through a pace, at a service that only takes them down. */
async function ride({ rows, perWindow, window, concurrency, service }: Load): Promise<readonly Seen[]> {
  const time = createVirtualTime();
  const pace = createPace({ perWindow, window, ...time });
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

/** The most that the service counted in a window, both of its ends included. */
function most(seen: readonly Seen[], window: number): number {
  const times = seen.map(({ counted }) => counted).sort((a, b) => a - b);
  return Math.max(...times.map((end) => times.filter((time) => time <= end && time >= end - window).length));
}

const first = ({ left }: Seen, other: Seen) => left - other.left;

describe('a pace that is known', () => {
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
    'takes the least time for %s a window of %s ms, %s at once, %s ms each',
    async (perWindow, window, concurrency, taken) => {
      const rows = perWindow * 3 + 1;
      const seen = await ride({ rows, perWindow, window, concurrency, service: () => ({ time: taken, counted: 1 }) });
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

  it('is as quick as the least time says, but for the answers and a margin of each window', async () => {
    const [perWindow, window] = [300, 60_000];
    const load = { rows: 901, perWindow, window, concurrency: 300, service: () => ({ time: 1, counted: 0 }) };
    const seen = await ride(load);
    const least = leastTime({ perWindow, window }, 901);
    expect(least).toBe(180_000);
    expect(Math.max(...seen.map(({ over }) => over))).toBe(180_000 + 3 * (margin + 1) + 1);
  });

  it('never has the service count more than the plan in any window, whenever it counts', async () => {
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
      const seen = await ride({ ...given, service });
      expect(seen).toHaveLength(given.rows);
      expect(most(seen, given.window)).toBeLessThanOrEqual(given.perWindow);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('leaves no slot idle while somebody waits', async () => {
    const service = (row: number) => ({ time: 5 + ((row * 37) % 90), counted: 0.5 });
    const seen = (await ride({ rows: 40, perWindow: 7, window: 300, concurrency: 40, service })).toSorted(first);
    const over = seen.map((one) => one.over).sort((a, b) => a - b);
    const room = seen.map((_, row) => (row < 7 ? 0 : (over[row - 7] ?? 0) + 300 + margin));
    expect(seen.map(({ left }) => left)).toEqual(room);
  });
});

const patient = new AbortController().signal;

/** Asks for a slot, and tells its name when it has it. */
function ask(pace: Pace, name: string, to: string[], signal = patient, again = false): Promise<Release | undefined> {
  return Promise.resolve(pace.slot(signal, again)).then(
    (release) => {
      to.push(name);
      return release;
    },
    () => void to.push(`${name} gave up`),
  );
}

function paced(options: { readonly perWindow?: number; readonly window?: number }): {
  readonly time: VirtualTime;
  readonly pace: Pace;
  readonly told: string[];
} {
  const time = createVirtualTime();
  return { time, pace: createPace({ ...options, ...time }), told: [] };
}

/** One that has its slot at once. */
function atOnce(pace: Pace): Release {
  const slot = pace.slot(patient);
  if (typeof slot === 'function') return slot;
  throw new Error('it has to wait');
}

describe('a pace', () => {
  it.each([5, undefined])('needs no promise and no timer while slots are free (%s a window)', (perWindow) => {
    const { pace, time } = paced(perWindow === undefined ? {} : { perWindow });
    for (let row = 0; row < 5; row++) atOnce(pace)('done');
    expect(time.set()).toBe(0);
  });

  it('lets those who wait go in the order in which they came', async () => {
    const { pace, time, told } = paced({ perWindow: 2, window: 100 });
    atOnce(pace)('done');
    atOnce(pace)('done');
    const asked = ['a', 'b', 'c'].map(async (name) => (await ask(pace, name, told))?.('done'));
    await time.pass();
    await Promise.all(asked);
    expect(told).toEqual(['a', 'b', 'c']);
  });

  it('lets one that is repeated go before the others', async () => {
    const { pace, time, told } = paced({ perWindow: 1, window: 100 });
    atOnce(pace)('done');
    const asked = ask(pace, 'a', told);
    const repeated = ask(pace, 'repeated', told, patient, true);
    await time.pass(100 + margin);
    expect(told).toEqual(['repeated']);
    (await repeated)?.('unsent');
    await asked;
    expect(told).toEqual(['repeated', 'a']);
  });

  it('gives the place of one that gives up to the next, and stops its timer when none is left', async () => {
    const { pace, time, told } = paced({ perWindow: 1, window: 100 });
    const user = new AbortController();
    atOnce(pace)('done');
    const asked = [ask(pace, 'a', told, user.signal), ask(pace, 'b', told)];
    user.abort();
    await time.pass();
    await Promise.all(asked);
    expect(told).toEqual(['a gave up', 'b']);
    expect(time.now()).toBe(100 + margin);
  });

  it('has no timer left when the last that waits gives up', async () => {
    const { pace, time, told } = paced({ perWindow: 1, window: 100 });
    const user = new AbortController();
    atOnce(pace)('done');
    const asked = ask(pace, 'a', told, user.signal);
    user.abort();
    await asked;
    await time.pass();
    expect(time.now()).toBe(0);
  });

  it('listens once to the signal of all that wait', () => {
    const { pace } = paced({ perWindow: 1 });
    const user = new AbortController();
    atOnce(pace);
    for (let row = 0; row < 20; row++) void pace.slot(user.signal);
    expect(getEventListeners(user.signal, 'abort')).toHaveLength(1);
  });

  it('refuses whoever comes after the signal', async () => {
    const { pace, told } = paced({ perWindow: 1 });
    await ask(pace, 'a', told, AbortSignal.abort());
    expect(told).toEqual(['a gave up']);
    expect(pace.slot(patient)).toBeTypeOf('function');
  });

  it('gives the slot of a request that never left to the next at once', async () => {
    const { pace, time, told } = paced({ perWindow: 1 });
    const release = atOnce(pace);
    const asked = ask(pace, 'a', told);
    release('unsent');
    await asked;
    expect(told).toEqual(['a']);
    expect(time.now()).toBe(0);
  });

  it.each([5, undefined])('holds everybody (%s a window)', async (perWindow) => {
    const { pace, time, told } = paced(perWindow === undefined ? {} : { perWindow });
    pace.hold(700);
    pace.hold(300);
    const asked = [ask(pace, 'a', told), ask(pace, 'b', told)];
    await time.pass(699);
    expect(told).toEqual([]);
    await time.pass(1);
    await Promise.all(asked);
    expect(told).toEqual(['a', 'b']);
  });

  it('holds longer while it holds', async () => {
    const { pace, time, told } = paced({});
    pace.hold(100);
    const asked = ask(pace, 'a', told);
    await time.pass(50);
    pace.hold(200);
    await time.pass(199);
    expect(told).toEqual([]);
    await time.pass();
    await asked;
    expect(time.now()).toBe(250);
  });
});

describe('after a 429', () => {
  /** Who went when the hold was over, and who when the first of them had ended so. */
  async function gone(ended: Ended): Promise<readonly string[]> {
    const { pace, time, told } = paced({});
    const [refused, other] = [atOnce(pace), atOnce(pace)];
    pace.hold(1_000);
    refused('limited');
    other('done');
    const asked = ['a', 'b', 'c'].map((name) => ask(pace, name, told));
    await time.pass(1_000);
    const probing = told.join(' ');
    (await asked[0])?.(ended);
    await settled();
    return [probing, told.join(' ')];
  }

  it.each([
    ['the others when it is through', 'done', 'a b c'],
    ['another one when it never left', 'unsent', 'a b'],
    ['another one when it was refused again', 'limited', 'a b'],
  ] as const)('one goes ahead when the time is over, and %s', async (_, ended, all) => {
    expect(await gone(ended)).toEqual(['a', all]);
  });
});
