import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import { clearableEvents, clearEvents, fileName } from '../../src/webhooks/log/files.ts';
import { newestFirst, oldestFirst } from '../../src/webhooks/log/history.ts';
import { bytesOf, form } from '../../src/webhooks/log/records.ts';
import { alive } from '../support/cli.ts';
import { canLimitFiles, makePipe, withRoomFor } from '../support/disk.ts';
import { thrown } from '../support/thrown.ts';
import { delivery, logIn, take, temporary } from './rig.ts';

const start = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const day = 24 * 60 * 60_000;
const mebibyte = 1024 * 1024;

describe('an event', () => {
  it('is on disk, unchanged, once it is received', () => {
    const folder = temporary();
    const headers = [
      ['Content-Type', 'application/json'],
      ['X-Twice', '1'],
      ['x-twice', '2'],
    ] as const;
    const given = delivery('{ "a" : 1 }\n', { path: '/hooks?x=1', headers, remote: '::1', port: 4781 });
    const event = logIn(folder, { now: () => start }).received(given);
    expect(event).toMatchObject({ type: 'received', received_at: start, body: '{ "a" : 1 }\n', headers });
    expect([...oldestFirst(folder)]).toEqual([event]);
  });

  it.each([
    ['text', Buffer.from('línea\n✓ 😀\0'), undefined],
    ['a byte order mark', Buffer.from('\ufeff{}'), undefined],
    ['an empty body', Buffer.alloc(0), undefined],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'base64'],
    ['a truncated character', Buffer.from('é').subarray(0, 1), 'base64'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'base64'],
  ])('keeps its body byte for byte: %s', (_, bytes, encoding) => {
    const folder = temporary();
    logIn(folder).received(delivery(bytes));
    const [past] = newestFirst(folder);
    expect(past?.event.encoding).toBe(encoding);
    expect(past && bytesOf(past.event)).toEqual(bytes);
  });

  it('has a short, unique id that can be typed', () => {
    const folder = temporary();
    const listeners = [logIn(folder, { now: () => start }), logIn(folder, { now: () => start })];
    const ids = Array.from({ length: 200 }, () => listeners.map((one) => one.received(delivery()).id)).flat();
    expect(new Set(ids).size).toBe(400);
    expect(ids.filter((id) => !/^e[0-9a-hjkmnp-tv-z]{10}$/.test(id))).toEqual([]);
  });

  it('has an id that sorts by time, even if the clock is set back', () => {
    let now = start;
    const journal = logIn(temporary(), { now: () => now });
    const ids = [0, 0, 1, 1_000, -day, 0, 400 * day].map((step) => {
      now += step;
      return journal.received(delivery()).id;
    });
    expect(ids.toSorted()).toEqual(ids);
  });

  it('is listed with its forwards, newest first', () => {
    const folder = temporary();
    let now = start;
    const journal = logIn(folder, { now: () => now++ });
    const [one, two] = [journal.received(delivery('1')), journal.received(delivery('2'))];
    const sent = { url: 'http://127.0.0.1:3000/', ms: 12 };
    journal.forwarded({ event: two.id, ...sent, status: 200, body: 'thanks' });
    journal.forwarded({ event: one.id, ...sent, error: 'connection refused' });
    journal.forwarded({ event: one.id, ...sent, status: 503 });
    const past = Array.from(newestFirst(folder), ({ event, forwards }) => [
      event.body,
      forwards.map(({ status, error }) => status ?? error),
    ]);
    expect(past).toEqual([
      ['2', [200]],
      ['1', [503, 'connection refused']],
    ]);
    expect(Array.from(oldestFirst(folder), ({ type }) => type)).toEqual([
      'received',
      'received',
      'forwarded',
      'forwarded',
      'forwarded',
    ]);
  });
});

describe('the files of all listeners', () => {
  const body = 'x'.repeat(4 * mebibyte);
  const size = (folder: string) =>
    fs
      .readdirSync(join(folder, 'events'))
      .reduce((sum, name) => sum + fs.statSync(join(folder, 'events', name)).size, 0);
  const ids = (folder: string) => Array.from(newestFirst(folder), ({ event }) => event.id).toReversed();

  it('exceed the size limit by at most the current file; the oldest are removed', async () => {
    const folder = temporary();
    const journal = logIn(folder, { most: 32 * mebibyte });
    const feed = journal.feed();
    const received = Array.from({ length: 24 }, () => journal.received(delivery(body)).id);
    expect(size(folder)).toBeLessThan(52 * mebibyte);
    const kept = ids(folder);
    expect(kept.length).toBeGreaterThanOrEqual(8);
    expect(kept).toEqual(received.slice(-kept.length));
    journal.end();
    const passed: string[] = [];
    for await (const { id } of feed) passed.push(id);
    expect(passed).toEqual(kept);
  });

  it('are removed to make room, except the current files of running listeners', async () => {
    const folder = temporary();
    const [left, live] = [logIn(folder, { pid: 2 ** 22, kill: (pid) => pid !== 2 ** 22 }), logIn(folder)];
    for (let event = 0; event < 4; event++) left.received(delivery(body));
    const first = live.received(delivery(body)).id;
    const other = logIn(folder, { most: mebibyte, kill: (pid) => pid !== 2 ** 22 });
    const last = Array.from({ length: 6 }, () => other.received(delivery(body)).id);
    const kept = ids(folder);
    expect(kept).toContain(first);
    expect(kept).toEqual([first, ...last].filter((id) => kept.includes(id)));
    expect(kept.at(-1)).toBe(last.at(-1));
  });
});

describe('the files', () => {
  it('are readable only by the user, and named by time', () => {
    const folder = temporary();
    fs.mkdirSync(join(folder, 'events'), { mode: 0o755 });
    logIn(folder, { now: () => start }).received(delivery());
    logIn(folder, { now: () => start }).received(delivery());
    expect(new Set(filesIn(folder)).size).toBe(2);
    for (const name of filesIn(folder)) expect(name).toMatch(/^20260102T030405678Z-\d+-1\.ndjson$/);
    const modes = filesIn(folder).map((name) => fs.statSync(join(folder, 'events', name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600]);
    expect(fs.statSync(join(folder, 'events')).mode & 0o777).toBe(0o700);
  });

  it('are removed if the listener received nothing', async () => {
    const folder = temporary();
    await logIn(folder).close();
    expect(fs.readdirSync(join(folder, 'events'))).toEqual([]);
  });

  it('are rotated at 16 MiB, with all events in order', async () => {
    const folder = temporary();
    const journal = logIn(folder);
    const bodies = Array.from({ length: 50 }, (_, number) => `${number} ${'x'.repeat(mebibyte)}`);
    const feed = take(journal.feed(), 50);
    const ids = bodies.map((body) => journal.received(delivery(body)).id);
    const sizes = filesIn(folder).map((name) => fs.statSync(join(folder, 'events', name)).size / mebibyte);
    expect(sizes.map((size) => Math.floor(size))).toEqual([16, 16, 16, expect.any(Number)]);
    expect(Array.from(oldestFirst(folder), (fact) => fact.type === 'received' && fact.id)).toEqual(ids);
    expect(Array.from(newestFirst(folder), ({ event }) => event.id)).toEqual(ids.toReversed());
    expect((await feed).map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ['long ago', 1_000],
    ['just now', 0],
  ])('are created again after they were removed %s, and later events are kept', (_, passed) => {
    const folder = temporary();
    let now = start;
    const journal = logIn(folder, { now: () => now });
    journal.received(delivery('1'));
    fs.rmSync(join(folder, 'events'), { recursive: true });
    now += passed;
    journal.received(delivery('2'));
    journal.received(delivery('3'));
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['3', '2']);
  });

  it('name their listener as soon as they exist', () => {
    const folder = temporary();
    logIn(folder);
    const text = fs.readFileSync(join(folder, 'events', filesIn(folder)[0] ?? ''), 'utf8');
    expect(text.split('\n')).toEqual([expect.any(String), expect.stringContaining('"type":"listener"'), '']);
  });

  it.each([
    ['kept if just created', 0, { removed: 0, kept: 1, damaged: 0 }],
    ['removed if two minutes old', 2, { removed: 1, kept: 0, damaged: 0 }],
  ])('with only a header are %s', (_, minutes, cleared) => {
    const folder = temporary();
    fs.mkdirSync(join(folder, 'events'));
    const path = join(folder, 'events', fileName(start, process.pid, 1));
    fs.writeFileSync(path, lineOf({ format: `bizmsg ${form.kind}`, version: form.version }));
    const now = fs.statSync(path).mtimeMs + minutes * 60_000;
    expect(clearEvents(clearableEvents(folder, { kill: alive, now, damaged: false }))).toEqual(cleared);
  });

  it.each(['a folder', 'a pipe', 'a socket'])('do not include %s with such a name', async (kind) => {
    const folder = temporary();
    const journal = logIn(folder, { now: () => start });
    journal.received(delivery('1'));
    await makeThing(kind, join(folder, 'events', fileName(start - day, 1, 1)));
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['1']);
    expect(clearEvents(clearableEvents(folder, { kill: alive, now: start, damaged: false }))).toEqual({
      removed: 0,
      kept: 1,
      damaged: 0,
    });
  });

  it('are removed when old, except those of running listeners', async () => {
    const folder = temporary();
    const [dead, live] = [2 ** 22 + 1, process.pid];
    for (const [pid, age, at] of [
      [dead, 8, 0],
      [dead, 6, 1],
      [live, 8, 2],
    ] as const) {
      logIn(folder, { pid, now: () => start + at }).received(delivery(`${pid === dead ? 'dead' : 'live'} ${age}`));
      const path = join(folder, 'events', filesIn(folder).at(-1) ?? '');
      fs.utimesSync(path, new Date(), new Date(Date.now() - age * day));
    }
    fs.writeFileSync(join(folder, 'events', 'notes.txt'), 'other data');
    fs.utimesSync(join(folder, 'events', 'notes.txt'), 0, 0);
    logIn(folder);
    expect(Array.from(newestFirst(folder), ({ event }) => event.body).sort()).toEqual(['dead 6', 'live 8']);
    expect(fs.existsSync(join(folder, 'events', 'notes.txt'))).toBe(true);
  });

  it('cause an error, not an empty history, if they cannot be read', () => {
    const folder = temporary();
    fs.writeFileSync(join(folder, 'events'), 'other data');
    expect(() => [...newestFirst(folder)]).toThrow('ENOTDIR');
  });

  it('that are old are removed when their own listener starts a new one', () => {
    const folder = temporary();
    const journal = logIn(folder);
    const fill = () => Array.from({ length: 17 }, () => journal.received(delivery('x'.repeat(mebibyte))));
    fill();
    const [first = ''] = filesIn(folder);
    fill();
    fs.utimesSync(join(folder, 'events', first), 0, 0);
    fill();
    expect(filesIn(folder)).not.toContain(first);
    expect(filesIn(folder)).toHaveLength(3);
  });
});

describe('a reader', () => {
  it('skips an incomplete line, and does not change it', () => {
    const folder = temporary();
    const journal = logIn(folder);
    journal.received(delivery('1'));
    const path = join(folder, 'events', filesIn(folder)[0] ?? '');
    fs.appendFileSync(path, '[123,{"type":"rec');
    const before = fs.readFileSync(path);
    expect([...oldestFirst(folder)]).toHaveLength(1);
    expect([...newestFirst(folder)]).toHaveLength(1);
    expect(fs.readFileSync(path)).toEqual(before);
  });

  it('gets events of concurrent listeners in order of time, from either end', () => {
    const folder = temporary();
    let now = start;
    const listeners = Array.from({ length: 3 }, () => logIn(folder, { now: () => now }));
    const bodies = Array.from({ length: 100 }, (_, number) => {
      now += 7;
      return listeners[(number * number) % 3]?.received(delivery(String(number))).body;
    });
    expect(Array.from(oldestFirst(folder), (fact) => fact.type === 'received' && fact.body)).toEqual(bodies);
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(bodies.toReversed());
  });

  it('gets the newest event without reading the rest, and leaves no file open', () => {
    const folder = temporary();
    const journal = logIn(folder);
    for (let number = 0; number < 20_000; number++) journal.received(delivery(String(number)));
    const open = () => fs.readdirSync('/proc/self/fd').length;
    const before = open();
    const began = performance.now();
    for (let round = 0; round < 100; round++) {
      const [newest] = newestFirst(folder);
      expect(newest?.event.body).toBe('19999');
    }
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(open()).toBe(before);
  });

  it('gets bodies of any size from the end', () => {
    const folder = temporary();
    const journal = logIn(folder);
    const sizes = [0, 1, 65_000, 65_200, 65_300, 65_400, 65_536, 131_072, 5 * mebibyte, 3];
    for (const size of sizes) journal.received(delivery('é'.repeat(size)));
    expect(Array.from(newestFirst(folder), ({ event }) => event.body.length)).toEqual(sizes.toReversed());
  });

  it('gets an error that names the file if a newer bizmsg wrote it', () => {
    const folder = temporary();
    logIn(folder).received(delivery());
    const path = join(folder, 'events', filesIn(folder)[0] ?? '');
    fs.writeFileSync(path, '[2226203566,{"format":"bizmsg events","version":2}]\n');
    const unknown = { exit: 'configuration', message: expect.stringContaining(path) };
    expect(thrown(() => [...newestFirst(folder)])).toMatchObject(unknown);
    expect(thrown(() => [...oldestFirst(folder)])).toMatchObject(unknown);
  });

  it('gets nothing if the folder does not exist', () => {
    expect([...newestFirst(join(temporary(), 'none'))]).toEqual([]);
  });
});

describe('a write error', () => {
  it.skipIf(!canLimitFiles)('for lack of room rejects an event, but not the next one', () => {
    const folder = temporary();
    const journal = logIn(folder);
    journal.received(delivery('1'));
    const { size } = fs.statSync(join(folder, 'events', filesIn(folder)[0] ?? ''));
    const refusal = withRoomFor(size + 30, () => thrown(() => journal.received(delivery('2'))));
    expect(refusal).toMatchObject({ exit: 'configuration', code: 'journal-unwritable' });
    journal.received(delivery('3'));
    expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['3', '1']);
  });

  it.skipIf(!canLimitFiles).each([10, 60, 80, 100])(
    'in a new file with room for %i bytes rejects an event, but not the next one',
    (room) => {
      const folder = temporary();
      const journal = logIn(folder);
      const body = 'x'.repeat(17 * mebibyte);
      journal.received(delivery(body));
      expect(withRoomFor(room, () => thrown(() => journal.received(delivery('2'))))).toMatchObject({
        code: 'journal-unwritable',
      });
      expect(filesIn(folder)).toHaveLength(1);
      journal.received(delivery('3'));
      expect(Array.from(newestFirst(folder), ({ event }) => event.body)).toEqual(['3', body]);
      expect(filesIn(folder)).toHaveLength(2);
    },
  );

  it.skipIf(process.getuid?.() === 0)('is reported on start if the folder is read-only', () => {
    const folder = temporary();
    fs.chmodSync(folder, 0o500);
    expect(thrown(() => logIn(folder))).toMatchObject({ exit: 'configuration', code: 'state-unwritable' });
  });

  it('is reported on start if a file is in place of the folder', () => {
    const folder = temporary();
    fs.writeFileSync(join(folder, 'events'), '');
    expect(thrown(() => logIn(folder))).toMatchObject({ exit: 'configuration', code: 'state-unwritable' });
  });
});

async function makeThing(kind: string, path: string): Promise<void> {
  if (kind === 'a folder') return fs.mkdirSync(path);
  if (kind === 'a pipe') return makePipe(path);
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

function filesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(join(folder, 'events'))
    .filter((name) => name.endsWith('.ndjson'))
    .sort();
}
