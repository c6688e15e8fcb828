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
  });

  it('loses bytes if the power fails before the sync ends', async () => {
    const trace = await recorded(`${opened}; fs.writeSync(fd, 'one'); fs.fsyncSync(fd)`, { a: '' });
    const ended = trace.operations.findIndex((operation) => operation.do === 'synced');
    expect(after(trace, { at: ended, unsynced: 'dropped' })).toEqual([{ a: '' }]);
    expect(after(trace, { at: ended + 1, unsynced: 'dropped' })).toEqual([{ a: 'one' }]);
  });

  describe('names', () => {
    it.each([
      ['a new file', "fs.writeFileSync('b', 'new')", { a: 'one' }, { a: 'one', b: '' }],
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
  });

  it('records what SQLite does', async () => {
    const loaded = `require(${JSON.stringify(fileURLToPath(new URL('../../bin/sqlite.js', import.meta.url)))}).loadSqlite()`;
    const script = `const db = new (${loaded}.DatabaseSync)('a.db'); db.exec('CREATE TABLE t (a TEXT)'); db.close()`;
    const [, files] = atTheEnd(await recorded(script), 'dropped');
    expect(files?.['a.db']).toContain('CREATE TABLE t (a TEXT)');
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
});

type Files = Readonly<Record<string, string>>;

const folder = '<folder>';
const opened = "const fd = fs.openSync('a', 'r+')";

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
