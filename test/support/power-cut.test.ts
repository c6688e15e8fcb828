import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../client/servers.ts';
import { type Cut, type DiskState, noPowerCut, recordRun, type Trace } from './power-cut.ts';

describe.skipIf(noPowerCut !== undefined)(`the power-cut simulator (${noPowerCut ?? 'on Linux'})`, () => {
  describe('unsynced bytes', () => {
    it.each<[Cut['unsynced'], string]>([
      ['dropped', 'old,'],
      ['zeroed', 'old,\0\0\0\0'],
      ['prefix', 'old,ne'],
      ['holes', 'old,\0\0w!'],
      ['kept', 'old,new!'],
    ])('can be %s', async (unsynced, text) => {
      const trace = await recorded("fs.appendFileSync('a', 'new!')", { a: 'old,' });
      expect(atTheEnd(trace, unsynced)).toEqual([{ a: text }]);
    });

    it('are halved across all writes to a file', async () => {
      const trace = await recorded(`${opened}; fs.writeSync(fd, 'one'); fs.writeSync(fd, 'three')`, { a: '' });
      expect(atTheEnd(trace, 'prefix')).toEqual([{ a: 'onet' }]);
      expect(atTheEnd(trace, 'holes')).toEqual([{ a: '\0\0\0\0hree' }]);
    });

    it('are halved in the last write only', async () => {
      const trace = await recorded(`${opened}; fs.writeSync(fd, 'one'); fs.writeSync(fd, 'four')`, { a: '' });
      const at = trace.operations.findLastIndex((operation) => operation.do === 'write') + 1;
      expect(after(trace, { at, unsynced: 'torn' })).toEqual([{ a: 'onefo' }]);
    });

    it('leave the old bytes in their place', async () => {
      const trace = await recorded(`${opened}; fs.writeSync(fd, 'TWO', 3)`, { a: 'onetwo' });
      expect(atTheEnd(trace, 'zeroed')).toEqual([{ a: 'onetwo' }]);
      expect(atTheEnd(trace, 'kept')).toEqual([{ a: 'oneTWO' }]);
    });

    it('include a change of the length', async () => {
      const trace = await recorded(`${opened}; fs.ftruncateSync(fd, 3)`, { a: 'onetwo' });
      expect(atTheEnd(trace, 'dropped')).toEqual([{ a: 'onetwo' }]);
      expect(atTheEnd(trace, 'kept')).toEqual([{ a: 'one' }]);
    });

    it('are zeros in a file that was truncated first', async () => {
      const trace = await recorded("fs.writeFileSync('a', 'new')", { a: 'old' });
      expect(atTheEnd(trace, 'zeroed')).toEqual([{ a: '\0\0\0' }]);
    });
  });

  it.each([
    ['fsyncSync', 'fs.fsyncSync(fd)'],
    ['fdatasyncSync', 'fs.fdatasyncSync(fd)'],
    ['fdatasync with a callback', 'fs.fdatasync(fd, () => {})'],
    ['fsync as a promise', "require('node:util').promisify(fs.fsync)(fd)"],
  ])('keeps the changes that %s covers', async (_, sync) => {
    const trace = await recorded(`${opened}; fs.writeSync(fd, 'one'); ${sync}`, { a: '' });
    expect(atTheEnd(trace, 'dropped')).toEqual([{ a: 'one' }]);
  });

  it('loses bytes if the power fails before the sync ends', async () => {
    const trace = await recorded(`${opened}; fs.writeSync(fd, 'one'); fs.fsyncSync(fd)`, { a: '' });
    const ended = trace.operations.findIndex((operation) => operation.do === 'synced');
    expect(after(trace, { at: ended, unsynced: 'dropped' })).toEqual([{ a: '' }]);
    expect(after(trace, { at: ended + 1, unsynced: 'dropped' })).toEqual([{ a: 'one' }]);
  });

  it('follows a synced file from operation to operation', async () => {
    const trace = await recorded(
      `${opened}; for (const text of ['1', '2']) { fs.writeSync(fd, text); fs.fsyncSync(fd) }`,
      {
        a: '',
      },
    );
    const texts = trace.cutPoints(100).map((at) => after(trace, { at, unsynced: 'dropped' })[0]?.['a']);
    expect([...new Set(texts)]).toEqual(['', '1', '12']);
  });

  describe('names', () => {
    it.each([
      ['a new file', "fs.writeFileSync('b', 'new', { flush: true })", { a: 'one' }, { a: 'one', b: 'new' }],
      ['a rename', "fs.renameSync('a', 'b')", { a: 'one' }, { b: 'one' }],
      ['a link', "fs.linkSync('a', 'b')", { a: 'one' }, { a: 'one', b: 'one' }],
      ['a removal', "fs.rmSync('a')", { a: 'one' }, {}],
      [
        'a new folder',
        "fs.mkdirSync('x/y', { recursive: true })",
        { a: 'one' },
        { a: 'one', x: folder, 'x/y': folder },
      ],
    ])('are old or new after %s', async (_, script, before, now) => {
      expect(atTheEnd(await recorded(script, { a: 'one' }), 'dropped')).toEqual([before, now]);
    });

    it('are new once the folder is synced', async () => {
      const trace = await recorded(`fs.renameSync('a', 'b'); ${folderSync('.')}`, { a: 'one' });
      expect(atTheEnd(trace, 'dropped')).toEqual([{ b: 'one' }]);
    });

    it('move between folders atomically', async () => {
      const trace = await recorded("fs.renameSync('x/a', 'y/a')", { 'x/a': 'one', 'y/b': 'two' });
      const [old, now] = atTheEnd(trace, 'dropped');
      expect(old).toMatchObject({ 'x/a': 'one', 'y/b': 'two' });
      expect(now).toEqual({ x: folder, y: folder, 'y/a': 'one', 'y/b': 'two' });
    });

    it.each(['x', 'y'])('have moved between folders once %s is synced', async (synced) => {
      const trace = await recorded(`fs.renameSync('x/a', 'y/a'); ${folderSync(synced)}`, {
        'x/a': 'one',
        'y/b': 'two',
      });
      expect(atTheEnd(trace, 'dropped')).toEqual([{ x: folder, y: folder, 'y/a': 'one', 'y/b': 'two' }]);
    });

    it('do not reappear if the folders of a rename are synced one after the other', async () => {
      const syncs = `{ ${folderSync('y')} } { ${folderSync('x')} }`;
      const script = `fs.writeFileSync('x/a', 'one', { flush: true }); fs.renameSync('x/a', 'y/a'); ${syncs} fs.mkdirSync('z')`;
      const trace = await recorded(script, { 'x/b': '', 'y/b': '' });
      expect(atTheEnd(trace, 'dropped')[0]).toEqual({ x: folder, 'x/b': '', y: folder, 'y/a': 'one', 'y/b': '' });
    });

    it('of synced files are lost with their folder', async () => {
      const trace = await recorded(
        `fs.mkdirSync('x'); fs.writeFileSync('x/a', 'one', { flush: true }); ${folderSync('x')}`,
      );
      expect(atTheEnd(trace, 'dropped')).toEqual([{}, { x: folder, 'x/a': 'one' }]);
    });

    it.each(["fs.writeFileSync('z', '', { flush: true })", folderSync('x')])(
      'are new in all folders after %s on a journaling file system',
      async (sync) => {
        const trace = await recorded(`fs.mkdirSync('x'); fs.renameSync('a', 'b'); ${sync}; fs.rmSync('b')`, {
          a: 'one',
        });
        const [old] = after(trace, { at: trace.operations.length, unsynced: 'dropped', journaled: true });
        expect(old).toMatchObject({ b: 'one', x: folder });
        expect(old).not.toHaveProperty('a');
      },
    );

    it('can survive without the bytes of their file', async () => {
      const trace = await recorded("fs.writeFileSync('b', 'new'); fs.renameSync('b', 'a')", { a: 'old' });
      expect(atTheEnd(trace, 'dropped')).toEqual([{ a: 'old' }, { a: '' }]);
    });

    it('in a removed folder disappear one by one', async () => {
      const trace = await recorded("fs.rmSync('x', { recursive: true })", { 'x/a': 'one', 'x/b': 'two' });
      const left = trace.cutPoints(100).map((at) => Object.keys(after(trace, { at, unsynced: 'kept' }).at(-1) ?? {}));
      const changes = left.filter((names, at) => names.length !== left[at - 1]?.length);
      expect(changes).toEqual([['x', 'x/a', 'x/b'], ['x', 'x/b'], ['x'], []]);
    });
  });

  it('restores hard links', async () => {
    const trace = await recorded(`fs.linkSync('a', 'b'); ${folderSync('.')}`, { a: 'one' });
    const path = restored(trace.statesAfterCut({ at: trace.operations.length, unsynced: 'dropped' })[0]);
    expect(statSync(join(path, 'a')).nlink).toBe(2);
  });

  it('restores modes', async () => {
    const trace = await recorded("fs.mkdirSync('x', { mode: 0o700 }); fs.writeFileSync('x/a', '', { mode: 0o600 })");
    const path = restored(trace.statesAfterCut({ at: trace.operations.length, unsynced: 'kept' }).at(-1));
    expect([statSync(join(path, 'x')).mode & 0o777, statSync(join(path, 'x/a')).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('tracks an open file after a rename', async () => {
    const trace = await recorded(`${opened}; fs.renameSync('a', 'b'); fs.writeSync(fd, 'x'); fs.fsyncSync(fd)`, {
      a: '',
    });
    expect(atTheEnd(trace, 'dropped')).toEqual([{ a: 'x' }, { b: 'x' }]);
  });

  it('records streams and ES modules', async () => {
    const script = "import { createWriteStream } from 'node:fs'; createWriteStream('a').end('one')";
    const trace = await recordRun({ folder: folderWith({}), command: ['--input-type=module', '-e', script] });
    expect(atTheEnd(trace, 'kept')).toEqual([{}, { a: 'one' }]);
  });

  it('records what SQLite does', async () => {
    const loaded = `require(${JSON.stringify(fileURLToPath(new URL('../../bin/sqlite.js', import.meta.url)))}).loadSqlite()`;
    const script = `const db = new (${loaded}.DatabaseSync)('a.db'); db.exec('CREATE TABLE t (a TEXT)'); db.close()`;
    const [, files] = atTheEnd(await recorded(script), 'dropped');
    expect(files?.['a.db']).toContain('CREATE TABLE t (a TEXT)');
  });

  it('ignores other folders', async () => {
    const other = folderWith({});
    const trace = await recorded(`fs.writeFileSync(${JSON.stringify(join(other, 'a'))}, 'one')`);
    expect(trace.operations).toEqual([]);
    expect(readFileSync(join(other, 'a'), 'utf8')).toBe('one');
  });

  it('shows the process another boot id', async () => {
    const { stdout } = await recorded("console.log(fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))");
    expect(stdout.trim()).toMatch(/^[0-9a-f-]{36}$/);
    expect(stdout.trim()).not.toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  });

  it('records when each request was sent', async () => {
    const service = await serve((_, __, response) => response.end('{}'));
    const script = `
      const send = (body) => fetch('${service.url}/rows', { method: 'POST', body }).then((answer) => answer.text());
      fs.writeFileSync('a', ''); send('é1').then(() => fs.writeFileSync('b', '')).then(() => send('2'))`;
    const trace = await recorded(script);
    expect(service.seen.map(({ body }) => body)).toEqual(['é1', '2']);
    expect(trace.requests).toMatchObject([
      { method: 'POST', target: '/rows', body: 'é1' },
      { method: 'POST', target: '/rows', body: '2' },
    ]);
    const namesAt = trace.requests.map(({ at }) => Object.keys(after(trace, { at, unsynced: 'kept' }).at(-1) ?? {}));
    expect(namesAt).toEqual([['a'], ['a', 'b']]);
  });

  it('spreads cuts from before the first operation to after the last', async () => {
    const trace = await recorded('for (let n = 0; n < 10; n++) fs.mkdirSync(String(n))');
    expect(trace.cutPoints(3)).toEqual([0, 5, 10]);
    expect(trace.cutPoints(100)).toHaveLength(11);
  });
});

type Files = Readonly<Record<string, string>>;

const folder = '<folder>';
const opened = "const fd = fs.openSync('a', 'r+')";

function folderSync(path: string): string {
  return `const folder = fs.openSync('${path}', 'r'); fs.fsyncSync(folder); fs.closeSync(folder)`;
}

function recorded(script: string, files: Files = {}): Promise<Trace> {
  return recordRun({ folder: folderWith(files), command: ['-e', script] });
}

function folderWith(files: Files): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-cut-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

function atTheEnd(trace: Trace, unsynced: Cut['unsynced']): readonly Files[] {
  return after(trace, { at: trace.operations.length, unsynced });
}

function after(trace: Trace, cut: Cut): readonly Files[] {
  return trace.statesAfterCut(cut).map((state) => filesIn(restored(state)));
}

function restored(state: DiskState | undefined): string {
  const path = folderWith({ 'what was here': 'before' });
  state?.restoreTo(path);
  return path;
}

function filesIn(path: string): Files {
  return Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => [name, statSync(join(path, name)).isFile() ? readFileSync(join(path, name), 'utf8') : folder]),
  );
}
