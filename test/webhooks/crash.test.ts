import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { post } from '../../src/post.ts';
import { createRandom, seedNumber } from '../../src/sandbox/random.ts';
import { newestFirst, oldestFirst } from '../../src/webhooks/event-history.ts';
import { cursorNow, follow } from '../../src/webhooks/event-tail.ts';
import { canLimitFiles } from '../support/disk.ts';
import { listenApart, listenerScript, pour } from './apart.ts';
import { journalIn, later, temporary } from './rig.ts';

describe('a listener that is killed under load', () => {
  it.each(['a', 'b', 'c', 'd', 'e', 'f'])('has every event that it acknowledged: %s', async (seed) => {
    const [folder, random] = [temporary(), createRandom(seedNumber(seed))];
    const listener = await listenApart(await listenerScript(), folder);
    const fatal = 50 + Math.floor(random() * 2_000);
    const acknowledged: string[] = [];
    const acknowledge = (body: string) => {
      if (acknowledged.push(body) === fatal) void listener.kill();
    };
    await Promise.all(Array.from({ length: 8 }, (_, lane) => pour(listener.port, bodies(lane, random), acknowledge)));
    const kept = Array.from(oldestFirst(folder), (fact) => (fact.type === 'received' ? fact.body : ''));
    const found = new Set(kept);
    expect(acknowledged.length).toBeGreaterThanOrEqual(fatal);
    expect(acknowledged.filter((body) => !found.has(body))).toEqual([]);
    // Of those whose answer died with it there is one a connection at most.
    expect(kept.length).toBe(found.size);
    expect(kept.length - acknowledged.length).toBeLessThanOrEqual(8);
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(kept.toReversed());
    journalIn(folder);
    expect([...oldestFirst(folder)]).toHaveLength(kept.length);
  });
});

describe('a listener in another process', () => {
  it('is read while it writes, from either end and as it goes', async () => {
    const folder = temporary();
    const listener = await listenApart(await listenerScript(), folder);
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
      const [forth, back] = [oldestFirst(folder), newestFirst(folder)].map((facts) => [...facts].length);
      expect(forth).toBeGreaterThanOrEqual(acknowledged.length);
      expect(back).toBeGreaterThanOrEqual(acknowledged.length);
    };
    const lanes = Array.from({ length: 4 }, (_, lane) => numbered(lane, 500));
    await Promise.all(lanes.map((bodies) => pour(listener.port, bodies, acknowledge)));
    await following;
    off.abort();
    expect(acknowledged).toHaveLength(2_000);
    expect(followed.toSorted()).toEqual(acknowledged.toSorted());
  });

  it('keeps nothing in memory for a reader who is behind', async () => {
    const folder = temporary();
    const listener = await listenApart(await listenerScript(), folder, ['--max-old-space-size=48']);
    let count = 0;
    const large = Array.from({ length: 200 }, (_, number) => `${number} ${'x'.repeat(1024 * 1024)}`);
    await pour(listener.port, large, () => (count += 1));
    expect(count).toBe(200);
  });
});

describe('a listener with no room left', () => {
  it.skipIf(!canLimitFiles)('acknowledges nothing, and takes events again once there is', async () => {
    const folder = temporary();
    const listener = await listenApart(await listenerScript(), folder);
    const send = (body: string) => post(`http://127.0.0.1:${listener.port}/`, { body }).then(({ status }) => status);
    expect(await send('1')).toBe(200);
    limitFiles(listener.pid, '10');
    expect([await send('2'), await send('3')]).toEqual([500, 500]);
    limitFiles(listener.pid, 'unlimited');
    expect(await send('4')).toBe(200);
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['4', '1']);
  });
});

/** Without end, of any size. */
function* bodies(lane: number, random: () => number): Generator<string> {
  for (let number = 0; ; number++) yield `${lane} ${number} ${'x'.repeat(Math.floor(random() ** 4 * 100_000))}`;
}

function numbered(lane: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${lane} ${number}`);
}

function limitFiles(pid: number, most: string): void {
  execFileSync('sh', ['-c', `exec prlimit --fsize=${most}: --pid ${pid}`]);
}
