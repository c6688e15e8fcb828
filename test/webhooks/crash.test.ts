import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { newestFirst, oldestFirst } from '../../src/webhooks/log/history.ts';
import { cursorNow, follow } from '../../src/webhooks/log/follow.ts';
import { temporaryHome } from '../support/bin.ts';
import { canLimitFiles } from '../support/disk.ts';
import { isLong } from '../support/long-tests.ts';
import { type ListenerProcess, listenerScript, pour, startListenerProcess } from './apart.ts';
import { logIn, later, temporary } from './rig.ts';

const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 30 : 5));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const patience = 20_000 + kills * 2_000;

const home = temporaryHome();
let script = '';
beforeAll(async () => {
  script = await listenerScript(home.path);
});
afterAll(() => home.remove());

describe('a listener that is killed under load', () => {
  it(`keeps every event that it acknowledged, ${kills} times (seed ${seed})`, { timeout: patience }, async () => {
    const random = createRandom(seed);
    let count = 0;
    // The next listener starts while the files of the last one are checked.
    let next = start();
    for (let kill = 1; kill <= kills; kill++) {
      const { folder, listener } = await next;
      const acknowledged = await pourUntilKilled(listener, random);
      next = start();
      expect(await faultsIn(folder, acknowledged), `after kill ${kill}`).toEqual([]);
      count += acknowledged.length;
      rmSync(folder, { recursive: true });
    }
    await next;
    expect(count).toBeGreaterThan(0);
    process.stderr.write(`${kills} kills, seed ${seed}, ${count} acknowledged\n`);
  });
});

async function start(): Promise<{ readonly folder: string; readonly listener: ListenerProcess }> {
  const folder = temporary();
  return { folder, listener: await startListenerProcess(script, folder) };
}

/** Posts on eight connections until the listener is killed; returns the acknowledged bodies. */
async function pourUntilKilled(listener: ListenerProcess, random: () => number): Promise<readonly string[]> {
  const [acknowledged, largest]: [string[], number] = [[], 10 ** (2 + 4 * random())];
  const killed = wait(random() * 200).then(listener.kill);
  const acknowledge = (body: string) => void acknowledged.push(body);
  const lanes = Array.from({ length: 8 }, (_, lane) => bodies(lane, largest, random));
  await Promise.all(lanes.map((lane) => pour(listener.port, lane, acknowledge)));
  await killed;
  return acknowledged;
}

/** Lists problems: each acknowledged event must be recorded once, also after the next listener starts. */
async function faultsIn(folder: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const bodiesIn = () => Array.from(oldestFirst(folder), (fact) => (fact.type === 'received' ? fact.body : ''));
  const kept = bodiesIn();
  const found = new Set(kept);
  const back = Array.from(newestFirst(folder), ({ event }) => event.body).toReversed();
  await logIn(folder).close();
  return [
    ...acknowledged.filter((body) => !found.has(body)).map((body) => `lost: ${body.slice(0, 20)}`),
    ...(kept.length === found.size ? [] : [`${kept.length - found.size} duplicates`]),
    // Each connection can have at most one event that was recorded but not acknowledged.
    ...(kept.length - acknowledged.length > 8 ? ['more than were sent'] : []),
    ...(isEqual(kept, back) ? [] : ['different from the end']),
    ...(isEqual(kept, bodiesIn()) ? [] : ['different after the next listener started']),
  ];
}

function isEqual(ones: readonly string[], others: readonly string[]): boolean {
  return ones.length === others.length && ones.every((one, at) => one === others[at]);
}

describe('a listener in another process', () => {
  it('can be read from either end, and followed, while it writes', async () => {
    const folder = temporary();
    const listener = await startListenerProcess(script, folder);
    const acknowledged: string[] = [];
    const off = new AbortController();
    const followed: string[] = [];
    const following = (async () => {
      for await (const fact of follow(folder, { from: cursorNow(folder), later, every: 3, signal: off.signal })) {
        if (fact.type === 'received') followed.push(fact.body);
        if (followed.length === 2_000) return;
      }
    })();
    const acknowledge = (body: string) => {
      if (acknowledged.push(body) % 200 !== 0) return;
      const [forward, back] = [oldestFirst(folder), newestFirst(folder)].map((facts) => [...facts].length);
      expect(forward).toBeGreaterThanOrEqual(acknowledged.length);
      expect(back).toBeGreaterThanOrEqual(acknowledged.length);
    };
    const lanes = Array.from({ length: 4 }, (_, lane) => numbered(lane, 500));
    await Promise.all(lanes.map((bodies) => pour(listener.port, bodies, acknowledge)));
    await following;
    off.abort();
    expect(acknowledged).toHaveLength(2_000);
    expect(followed.toSorted()).toEqual(acknowledged.toSorted());
  });

  it('keeps nothing in memory for a slow reader', async () => {
    const folder = temporary();
    const listener = await startListenerProcess(script, folder, ['--max-old-space-size=48']);
    let count = 0;
    const large = Array.from({ length: 100 }, (_, number) => `${number} ${'x'.repeat(1024 * 1024)}`);
    await pour(listener.port, large, () => (count += 1));
    expect(count).toBe(100);
  });
});

describe('a listener on a full disk', () => {
  it.skipIf(!canLimitFiles)('acknowledges nothing, and accepts events again when there is room', async () => {
    const folder = temporary();
    const listener = await startListenerProcess(script, folder);
    const send = (body: string) =>
      httpRequest(`http://127.0.0.1:${listener.port}/`, { body }).then(({ status }) => status);
    expect(await send('1')).toBe(200);
    limitFiles(listener.pid, '10');
    expect([await send('2'), await send('3')]).toEqual([500, 500]);
    limitFiles(listener.pid, 'unlimited');
    expect(await send('4')).toBe(200);
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['4', '1']);
  });
});

/** Endless bodies of random sizes up to `largest`. */
function* bodies(lane: number, largest: number, random: () => number): Generator<string> {
  for (let number = 0; ; number++) yield `${lane} ${number} ${'x'.repeat(Math.floor(random() ** 4 * largest))}`;
}

function numbered(lane: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${lane} ${number}`);
}

function limitFiles(pid: number, most: string): void {
  execFileSync('sh', ['-c', `exec prlimit --fsize=${most}: --pid ${pid}`]);
}
