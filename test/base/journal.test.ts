import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Journal, type JournalOptions, openJournal } from '../../src/base/journal.ts';
import { canLimitFiles, canSwapFiles, swapFile, withRoomFor } from '../support/disk.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { thrown } from '../support/thrown.ts';

const three = ['one', { two: ['zwei', 'deux'] }, 3];

describe('a journal that another process writes', () => {
  it('refuses writes after the other process has appended', async () => {
    const path = await written(three);
    const journal = open(path);
    read(journal);
    await written(['of the other'], path);
    expect(thrown(() => journal.append('mine'))).toMatchObject({ code: 'journal-taken', exit: 'unsafe' });
    expect(thrown(() => journal.rewrite(['mine']))).toMatchObject({ code: 'journal-taken' });
    expect(await contentOf(path)).toEqual([...three, 'of the other']);
  });

  it('refuses writes after its owner has lost the lock', async () => {
    const path = await written(three);
    let [isOurs, time] = [true, 0];
    const journal = open(path, { isOurs: () => isOurs, now: () => time });
    read(journal);
    journal.append('before');
    isOurs = false;
    time += 20;
    expect(thrown(() => journal.append('after'))).toMatchObject({ code: 'journal-taken' });
    expect(thrown(() => journal.append('later'))).toMatchObject({ code: 'journal-taken' });
    expect(await contentOf(path)).toEqual([...three, 'before']);
  });

  it('checks its owner at most every 20 ms, and always before a rewrite', async () => {
    let [checks, time] = [0, 0];
    const journal = open(temporary(), { isOurs: () => (checks += 1) > 0, now: () => time });
    for (; time < 20; time++) journal.append(time);
    expect(checks).toBe(1);
    journal.append(time);
    expect(checks).toBe(2);
    journal.rewrite(['all']);
    expect(checks).toBe(3);
    await journal.close();
  });

  it('checks its owner after the clock was set back', async () => {
    let [checks, time] = [0, 0];
    const journal = open(temporary(), { isOurs: () => (checks += 1) > 0, now: () => time });
    journal.append('before');
    time -= 60_000;
    journal.append('after');
    expect(checks).toBe(2);
    await journal.close();
  });
});

describe('a record', () => {
  it.each([
    ['any type', [null, 0, '', [], {}, { deep: [{ er: true }] }]],
    ['any script', ['Zoë', '日本', '👩‍👩‍👧', 'a\u2028b\u2029c', 'line\nfeed\r\0', '\ud800 alone', '\ufeff']],
    ['any size', [0, 1, 65_520, 65_521, 65_522, 65_523, 65_535, 65_536, 5_000_000].map((size) => 'é'.repeat(size))],
  ])('is read back: %s', async (_, records) => {
    const path = await written(records);
    const journal = open(path);
    expect(read(journal)).toEqual(records);
    await journal.close();
  });

  it('is one line in a private file, below a header line', async () => {
    const path = await written(three);
    expect(fs.readFileSync(path, 'latin1')).toMatch(
      /^\[\d+,\{"format":"bizmsg test","version":1\}\]\n\[\d+,"one"\]\n(\[.+\]\n){2}$/,
    );
    expect(modeOf(path)).toBe(ownFile);
  });

  it('is read with the byte offset of its line', async () => {
    const path = await written(three);
    const journal = open(path);
    const places = Array.from(journal.past, ({ at }) => fs.readFileSync(path, 'latin1').slice(at).split('\n')[0]);
    await journal.close();
    expect(places).toEqual(linesOf(path).slice(1));
  });

  it('is appended after earlier records', async () => {
    const path = await written(three);
    await written(['four'], path);
    expect(await contentOf(path)).toEqual([...three, 'four']);
  });

  it('can be added only after the journal was read', async () => {
    const journal = open(await written(three));
    expect(() => journal.append('four')).toThrow('before appending');
    expect(() => journal.rewrite([])).toThrow('before appending');
    await journal.close();
  });

  it('comes after the initial records of a new journal', async () => {
    const path = await written(['two'], temporary(), { first: ['one'] });
    expect(await contentOf(path)).toEqual(['one', 'two']);
    const again = open(path, { first: ['none'] });
    expect(read(again)).toEqual(['one', 'two']);
    await again.close();
  });

  it('is lost if the file is removed, which isThere() reports', async () => {
    const path = temporary();
    const journal = open(path);
    const before = journal.exists();
    fs.rmSync(path);
    expect([before, journal.exists()]).toEqual([true, false]);
    await journal.close();
  });

  it('cannot be added after the journal was closed', async () => {
    const journal = open(temporary());
    await Promise.all([journal.close(), journal.close()]);
    expect(() => journal.append('late')).toThrow('closed');
    expect(() => journal.rewrite([])).toThrow('closed');
  });
});

describe('a crash', () => {
  it('in the middle of the last line loses only that line, wherever it happens', async () => {
    const path = await written(three);
    const whole = fs.readFileSync(path);
    const begin = whole.lastIndexOf('\n', -2) + 1;
    for (const nothing of [0, 1, 4_096]) {
      for (let end = begin; end < whole.length; end++) {
        fs.writeFileSync(path, Buffer.concat([whole.subarray(0, end), Buffer.alloc(nothing)]));
        const torn: number[] = [];
        const journal = open(path, { onTorn: (bytes) => torn.push(bytes) });
        expect(read(journal)).toEqual(three.slice(0, 2));
        expect(torn).toEqual(end - begin + nothing > 0 ? [end - begin + nothing] : []);
        journal.append('next');
        await journal.close();
        expect(await contentOf(path)).toEqual([...three.slice(0, 2), 'next']);
      }
    }
  });

  it('before the first record leaves a new journal', async () => {
    const path = await written([]);
    const header = fs.readFileSync(path);
    for (let end = 0; end < header.length; end++) {
      for (const nothing of [0, 10]) {
        fs.writeFileSync(path, Buffer.concat([header.subarray(0, end), Buffer.alloc(nothing)]));
        expect(await contentOf(path)).toEqual([]);
        expect(fs.readFileSync(path)).toEqual(header);
      }
    }
  });

  it('during a rewrite leaves the old journal and no temporary file', async () => {
    const path = await written(three);
    fs.writeFileSync(`${path}.new`, fs.readFileSync(path).subarray(0, 60));
    expect(await contentOf(path)).toEqual(three);
    expect(fs.readdirSync(join(path, '..')).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('at any moment leaves everything that was appended or rewritten before', async () => {
    const path = temporary();
    const script = await counter(join(path, '..'));
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [script, path]);
      let counted = '';
      child.stdout.on('data', (text: Buffer) => (counted += text.toString()));
      await once(child.stdout, 'data');
      await wait(Math.random() * 60);
      child.kill('SIGKILL');
      await once(child, 'close');
      const [base = 0, ...others] = (await contentOf(path)).map(Number);
      expect(others).toEqual(others.map((_, index) => base + index + 1));
      expect(base + others.length).toBeGreaterThanOrEqual(Number(counted.trimEnd().split('\n').at(-1)));
    }
  });
});

describe('a damaged journal is refused and left unchanged, if', () => {
  it('any byte of a line has changed', async () => {
    const path = await written(three);
    const whole = fs.readFileSync(path);
    const begin = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1;
    for (let at = begin; at <= whole.indexOf('\n', begin); at++) {
      for (const flip of [0x01, 0x20, 0x80, 0xff]) {
        const damaged = Buffer.concat([whole, Buffer.from('[12')]);
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        fs.writeFileSync(path, damaged);
        const journal = open(path);
        expect(thrown(() => read(journal))).toMatchObject({
          exit: 'configuration',
          code: 'journal-damaged',
          message: `${path} is damaged: the line at byte ${begin} has a wrong checksum`,
        });
        await journal.close();
        expect(fs.readFileSync(path)).toEqual(damaged);
      }
    }
  });

  it('a line feed was inserted', async () => {
    const path = await written(three);
    fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace('zwei', 'zw\ni'));
    await expect(contentOf(path)).rejects.toMatchObject({ code: 'journal-damaged' });
  });

  it.each([
    ['another version', { version: 2 }, 'journal-unknown', '"version":2'],
    ['another kind', { kind: 'other' }, 'journal-unknown', '"bizmsg other"'],
  ])('has %s', async (_, options, code, why) => {
    const path = await written(three, temporary(), options);
    const before = fs.readFileSync(path);
    const refusal = thrown(() => open(path));
    expect(refusal).toMatchObject({ exit: 'configuration', code, message: expect.stringContaining(why) });
    expect(refusal).toMatchObject({ message: expect.stringContaining(path), hint: expect.stringContaining('newer') });
    expect(fs.readFileSync(path)).toEqual(before);
  });

  it.each(['{"format":"bizmsg test","version":1}\n', 'a,b\n1,2\n', '\n', '[0,]\n', '[]\n'])(
    'its first line is not a header: %j',
    (text) => {
      const path = temporary();
      fs.writeFileSync(path, text);
      expect(thrown(() => open(path))).toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
      expect(fs.readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it.each(['precious', '\0\0precious', '[\0precious'])('is not a journal and has no complete line: %j', (text) => {
    const path = temporary();
    fs.writeFileSync(path, text);
    expect(thrown(() => open(path))).toMatchObject({ exit: 'configuration' });
    expect(fs.readFileSync(path, 'utf8')).toBe(text);
  });
});

describe('rewriting', () => {
  it('replaces all records, and later appends follow', async () => {
    const path = await written(three);
    const journal = open(path);
    read(journal);
    journal.rewrite(['all in one']);
    journal.append('and more');
    await journal.close();
    expect(await contentOf(path)).toEqual(['all in one', 'and more']);
    expect(modeOf(path)).toBe(ownFile);
    expect(fs.readdirSync(join(path, '..'))).toEqual(['journal.ndjson']);
  });

  it('accepts any number of records', async () => {
    const path = temporary();
    const journal = open(path);
    const records = Array.from({ length: 5_000 }, (_, number) => ({ number, text: 'x'.repeat(number % 300) }));
    journal.rewrite(records);
    await journal.close();
    expect(await contentOf(path)).toEqual(records);
  });

  it('keeps the old records if it fails, and later appends follow', async () => {
    const path = await written(three);
    const journal = open(path);
    read(journal);
    const failing = function* () {
      yield 'new';
      throw new Error('half way');
    };
    expect(() => journal.rewrite(failing())).toThrow('half way');
    journal.append('four');
    await journal.close();
    expect(await contentOf(path)).toEqual([...three, 'four']);
    expect(fs.readdirSync(join(path, '..'))).toEqual(['journal.ndjson']);
  });
});

describe('the disk', () => {
  it('is synced within 200 ms of an append, and only then', async () => {
    const timer = manualTimer();
    const journal = open(temporary(), { later: timer.later });
    expect(timer.armed).toEqual([]);
    journal.append('one');
    journal.append('two');
    expect(timer.armed.map(({ after }) => after)).toEqual([200]);
    timer.fire();
    journal.append('during the sync');
    expect(timer.armed).toEqual([]);
    await timer.next();
    expect(timer.armed.map(({ after }) => after)).toEqual([200]);
    await journal.close();
    expect(timer.armed).toEqual([]);
  });

  it.skipIf(!canSwapFiles)('has everything added before synced() resolves', async () => {
    const path = temporary();
    const journal = open(path);
    await journal.synced();
    journal.append('one');
    const [first, second] = [journal.synced(), journal.synced()];
    journal.append('two');
    await Promise.all([first, second, journal.synced()]);
    swapFile(path, '/dev/null');
    // Nothing is left to sync.
    await journal.synced();
    journal.append('three');
    await expect(journal.synced()).rejects.toMatchObject({ code: 'journal-unwritable' });
  });

  it.skipIf(!canLimitFiles)('takes a whole line or nothing, and the next line once there is space', async () => {
    const path = await written(three);
    const before = fs.readFileSync(path);
    const journal = open(path);
    read(journal);
    const append = () => journal.append('longer than the space that is left');
    const refusal = withRoomFor(before.length + 10, () => thrown(append));
    expect(refusal).toMatchObject({ exit: 'configuration', code: 'journal-unwritable' });
    expect(fs.readFileSync(path)).toEqual(before);
    journal.append('longer than the space that was left');
    await journal.close();
    expect(await contentOf(path)).toEqual([...three, 'longer than the space that was left']);
  });

  it.skipIf(!canLimitFiles)('keeps the old journal if a rewrite does not fit', async () => {
    const path = await written(three);
    const journal = open(path);
    read(journal);
    const refusal = withRoomFor(20, () => thrown(() => journal.rewrite(['too long'])));
    expect(refusal).toMatchObject({ exit: 'configuration', code: 'journal-unwritable' });
    await journal.close();
    expect(await contentOf(path)).toEqual(three);
  });

  it.skipIf(!canSwapFiles)('gets nothing more after a failed write', async () => {
    const path = await written(three);
    const journal = open(path);
    read(journal);
    swapFile(path, '/dev/full');
    const message = `cannot write ${path}: the disk is full`;
    expect(thrown(() => journal.append('four'))).toMatchObject({ exit: 'configuration', message });
    expect(thrown(() => journal.append('five'))).toMatchObject({ message });
    await expect(journal.close()).rejects.toMatchObject({ message });
    expect(await contentOf(path)).toEqual(three);
  });

  it.skipIf(!canSwapFiles)('gets nothing more after a failed sync', async () => {
    const timer = manualTimer();
    const path = temporary();
    const journal = open(path, { later: timer.later });
    journal.append('one');
    swapFile(path, '/dev/null');
    timer.fire();
    await expect.poll(() => thrown(() => journal.append('two'))).toMatchObject({ code: 'journal-unwritable' });
    await expect(journal.close()).rejects.toMatchObject({ code: 'journal-unwritable' });
  });

  it.skipIf(!canSwapFiles)('can be rewritten after a failed write', async () => {
    const path = temporary();
    const journal = open(path);
    swapFile(path, '/dev/full');
    expect(() => journal.append('one')).toThrow('full');
    journal.rewrite(['all']);
    journal.append('two');
    await journal.close();
    expect(await contentOf(path)).toEqual(['all', 'two']);
  });
});

function open(path: string, options: Partial<JournalOptions> = {}): Journal {
  const later: JournalOptions['later'] = () => () => {};
  return openJournal(path, { kind: 'test', version: 1, later, ...options });
}

function read(journal: Journal): readonly unknown[] {
  return Array.from(journal.past, ({ record }) => record);
}

async function written(
  records: readonly unknown[],
  path = temporary(),
  options?: Partial<JournalOptions>,
): Promise<string> {
  const journal = open(path, options);
  read(journal);
  for (const record of records) journal.append(record);
  await journal.close();
  return path;
}

async function contentOf(path: string): Promise<readonly unknown[]> {
  const journal = open(path);
  try {
    return read(journal);
  } finally {
    await journal.close();
  }
}

/** A script that appends numbers to a journal, prints each, and repeatedly rewrites the journal to one number. */
async function counter(folder: string): Promise<string> {
  const [journal, script] = [join(folder, 'journal.mjs'), join(folder, 'counter.mjs')];
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/base/journal.ts', import.meta.url)),
    platform: 'node',
  });
  await bundle.write({ file: journal, format: 'esm' });
  await bundle.close();
  fs.writeFileSync(
    script,
    `import { writeSync } from 'node:fs';
    import { openJournal } from ${JSON.stringify(pathToFileURL(journal).href)};
    const later = (ms, run) => clearTimeout.bind(undefined, setTimeout(run, ms));
    const journal = openJournal(process.argv[2], { kind: 'test', version: 1, later });
    let number = 0;
    for (const { record } of journal.past) number = record;
    for (;;) {
      for (let i = 0; i < 20; i++) {
        journal.append(++number);
        writeSync(1, number + '\\n');
      }
      journal.rewrite([number]);
      await new Promise(setImmediate);
    }`,
  );
  return script;
}

function linesOf(path: string): readonly string[] {
  return fs.readFileSync(path, 'latin1').split('\n').slice(0, -1);
}

function temporary(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'bizmsg-journal-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return join(folder, 'journal.ndjson');
}

/** A timer that the test fires. */
function manualTimer() {
  const armed: { readonly after: number; readonly run: () => void }[] = [];
  let onArmed = () => {};
  const later: JournalOptions['later'] = (after, run) => {
    const timer = { after, run };
    armed.push(timer);
    onArmed();
    return () => void (armed.includes(timer) && armed.splice(armed.indexOf(timer), 1));
  };
  const next = () => new Promise<void>((resolve) => (onArmed = resolve));
  return { armed, later, next, fire: () => armed.splice(0).forEach(({ run }) => run()) };
}
