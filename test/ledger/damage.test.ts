import { readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { lineOf } from '../../src/base/journal-lines.ts';
import { checkLedger } from '../../src/ledger/file/check.ts';
import { createBook } from '../../src/ledger/book.ts';
import { createSegments } from '../../src/ledger/file/segments.ts';
import { checkOf, secretIn } from '../../src/ledger/identity.ts';
import type { RunState } from '../../src/ledger/ledger.ts';
import { canLimitFiles, withRoomFor } from '../support/disk.ts';
import { isLong } from '../support/long-tests.ts';
import { thrown } from '../support/thrown.ts';
import { manualTimers } from '../support/timers.ts';
import { accepted, day, message, messages, openLedger, planOf, temporaryFolder } from './rig.ts';

const people = 'ada:1 bob:1';

describe('a segment', () => {
  it('with any changed byte is refused or repaired, with a report', { timeout: 60_000 }, async () => {
    const { folder, segment } = await written();
    const whole = readFileSync(segment);
    const before = read(folder);
    const silent: unknown[] = [];
    for (let at = 0; at < whole.length; at += isLong ? 1 : 5) {
      const changed = Buffer.from(whole);
      changed[at] = (whole[at] ?? 0) ^ (at % 2 === 0 ? 0x01 : 0x2b);
      writeFileSync(segment, changed);
      let isRepaired = false;
      const isRefused = (error: unknown) => error instanceof CliError && error.exit === 'configuration';
      const error = thrown(() => {
        const states = read(folder, () => (isRepaired = true));
        if (!isRepaired && !isDeepStrictEqual(states, before)) silent.push({ at, states });
      });
      if (error !== undefined && !isRefused(error)) silent.push({ at, error });
    }
    expect(silent).toEqual([]);
  });

  it('truncated by a crash is repaired with a report, or was complete', async () => {
    const { folder, segment } = await written();
    const whole = readFileSync(segment);
    const header = whole.indexOf('\n') + 1;
    for (let size = header; size < whole.length; size += 13) {
      writeFileSync(segment, whole);
      truncateSync(segment, size);
      const repaired: string[] = [];
      read(folder, (path) => void repaired.push(path));
      const isBetweenLines = whole[size - 1] === 0x0a || whole[size] === 0x0a;
      expect({ size, repaired: repaired.length }).toEqual({ size, repaired: isBetweenLines ? 0 : 1 });
    }
  });

  it('with damage is named with the offset, and nothing is sent', async () => {
    const { folder, segment } = await written();
    const text = readFileSync(segment, 'utf8');
    writeFileSync(segment, text.replace('"type":"commit"', '"type":"commat"'));
    const ledger = openLedger(folder);
    await expect(ledger.claim(messages(people), { run: 'any' })).rejects.toMatchObject({
      exit: 'configuration',
      code: 'journal-damaged',
      message: expect.stringContaining(`the line at byte ${lineWith(text, '"type":"commit"')} `),
    });
    await ledger.close();
  });

  it.each([1, 3])(
    'of version %i is refused and left as it is, with the hint that a newer bizmsg may have written it',
    async (version) => {
      const { folder, segment } = await written();
      const text = lineOf({ format: 'bizmsg ledger', version }) + lineOf({ type: 'new' });
      writeFileSync(segment, text);
      const unknown = {
        exit: 'configuration',
        code: 'journal-unknown',
        hint: expect.stringMatching(/^if a newer bizmsg wrote it, use that version;/),
      };
      await expect(statesIn(folder)).rejects.toMatchObject(unknown);
      expect(() => checkLedger(folder)).toThrow(expect.objectContaining(unknown));
      expect(readFileSync(segment, 'utf8')).toBe(text);
    },
  );

  it('with valid checksums but invalid content is refused', async () => {
    const { folder, segment } = await written();
    const claim = { type: 'work', run: 'unknown', owner: 'x', at: 1, claimed: [0, 1] };
    writeFileSync(segment, readFileSync(segment, 'utf8') + lineOf(claim));
    await expect(statesIn(folder)).rejects.toMatchObject({ code: 'journal-damaged' });
  });

  it.each([
    ['missing', (path: string) => rmSync(path)],
    ['shorter', (path: string) => truncateSync(path, readFileSync(path).lastIndexOf('\n', -2) + 1)],
  ])('that is %s between two others is detected', async (_, harm) => {
    const { folder, segments } = await threeDays();
    expect(await statesIn(folder)).toMatchObject([{ counts: { done: 3, planned: 1 } }]);
    harm(segments[1] ?? '');
    await expect(statesIn(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
  });

  it('is refused without the secret, and with a different secret', async () => {
    const { folder } = await written();
    const secret = join(folder, 'secret');
    writeFileSync(secret, Buffer.alloc(32, 1));
    await expect(statesIn(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'ledger-secret' });
    rmSync(secret);
    expect(() => openLedger(folder)).toThrow(expect.objectContaining({ exit: 'configuration', code: 'ledger-secret' }));
  });
});

describe('a process whose segment was changed by another', () => {
  it('stops, and grants nothing', async () => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    const { run } = accepted(await ledger.register(planOf(people)));
    const [name = ''] = segmentsIn(folder);
    writeFileSync(name, `${readFileSync(name, 'utf8')}[`);
    const claim = ledger.claim(messages(people), { run });
    await expect(claim).rejects.toMatchObject({ exit: 'unsafe', code: 'journal-taken' });
    await expect(ledger.look(message('ada:1'), { run })).rejects.toMatchObject({ code: 'journal-taken' });
    await ledger.close();
  });

  it('stops if it has lost the lock, and leaves no timer that keeps it running', async () => {
    const folder = temporaryFolder();
    const timers = manualTimers();
    const ledger = openLedger(folder, timers);
    const { run } = accepted(await ledger.register(planOf(people)));
    rmSync(join(folder, 'turn'));
    await expect(ledger.look(message('ada:1'), { run })).rejects.toMatchObject({ code: 'journal-taken' });
    await expect(ledger.claim(messages(people), { run })).rejects.toMatchObject({ code: 'journal-taken' });
    await ledger.close();
    expect([...timers.armed.values()]).toEqual([]);
  });

  it.each([
    ['was removed', () => {}],
    ['was removed and started again', async (folder: string) => openLedger(folder).register(planOf(people))],
  ])('stops if the ledger %s, and does not promise to continue', async (_, then) => {
    const folder = temporaryFolder();
    const ledger = openLedger(folder);
    const { run } = accepted(await ledger.register(planOf(people)));
    rmSync(folder, { recursive: true });
    await then(folder);
    for (const call of [ledger.claim(messages(people), { run }), ledger.look(message('ada:1'), { run })])
      await expect(call).rejects.toMatchObject({
        code: 'ledger-removed',
        hint: 'bizmsg no longer knows what was sent: the same command sends all rows again',
      });
    await ledger.close();
  });

  it('stops if it loses the lock before it writes', async () => {
    const folder = temporaryFolder();
    // Each decision asks for the time.
    let standstill = () => {};
    const now = () => {
      standstill();
      return Date.now();
    };
    const ledger = openLedger(folder, { now });
    const { run } = accepted(await ledger.register(planOf(people)));
    standstill = () => rmSync(join(folder, 'turn'), { force: true });
    await expect(ledger.claim(messages(people), { run })).rejects.toMatchObject({ code: 'journal-taken' });
    await ledger.close();
  });
});

it.runIf(canLimitFiles)('a full disk saves all of a registration or nothing', async () => {
  const { folder, segment } = await written();
  const [book, check] = [createBook(), checkOf(secretIn(folder, true))];
  const segments = createSegments({ isAlive: () => false, folder, book, check, now: Date.now, onRepaired: () => {} });
  segments.refresh();
  const { size } = statSync(segment);
  const [run = ''] = book.runs.keys();
  // The second of three writes does not fit.
  const rows = { type: 'rows', run, bytes: new Uint8Array(100_000 * 20) } as const;
  const error = thrown(() => withRoomFor(size + 1_500_000, () => segments.append([rows])));
  expect(error).toMatchObject({ exit: 'configuration', code: 'journal-unwritable' });
  expect(statSync(segment).size).toBe(size);
  segments.append([rows]);
  segments.close();
  expect(read(folder)).toHaveLength(1);
});

/** The counts of all runs, as read by a process that holds the lock. */
function read(folder: string, onRepaired: (path: string) => void = () => {}): readonly unknown[] {
  const [book, check] = [createBook(), checkOf(secretIn(folder, true))];
  const segments = createSegments({ isAlive: () => false, folder, book, check, now: Date.now, onRepaired });
  try {
    segments.refresh();
    return [...book.runs.values()].map(({ id, counts }) => ({ id, counts: { ...counts } }));
  } finally {
    segments.close();
  }
}

/** One day's segment with each kind of change. */
async function written() {
  const folder = temporaryFolder();
  const ledger = openLedger(folder);
  const { run } = accepted(await ledger.register(planOf(people)));
  await ledger.claim(messages(people), { run });
  await ledger.settle([{ run, row: message('ada:1'), outcome: 'unsure' }]);
  await ledger.settle([{ run, row: message('bob:1'), outcome: 'release' }]);
  await ledger.resolve(run, 'sent');
  await ledger.withdraw({ run });
  await ledger.close();
  const [segment = ''] = segmentsIn(folder);
  return { folder, segment };
}

async function threeDays() {
  const folder = temporaryFolder();
  let now = Date.UTC(2026, 2, 4, 12);
  const ledger = openLedger(folder, { now: () => now });
  const { run } = accepted(await ledger.register(planOf('ada:1 bob:1 cyd:1 dan:1')));
  for (const row of messages('ada:1 bob:1 cyd:1')) {
    await ledger.claim([row], { run });
    await ledger.settle([{ run, row, outcome: 'done' }]);
    now += day;
  }
  await ledger.close();
  const segments = segmentsIn(folder);
  expect(segments).toHaveLength(4);
  return { folder, segments };
}

async function statesIn(
  folder: string,
  onRepaired?: (path: string, bytes: number) => void,
): Promise<readonly RunState[]> {
  const ledger = openLedger(folder, onRepaired && { onRepaired });
  try {
    return await ledger.runs();
  } finally {
    await ledger.close();
  }
}

function segmentsIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^\d.*\.ndjson$/.test(name));
  return names.sort().map((name) => join(folder, name));
}

/** The offset of the line with this text. */
function lineWith(text: string, part: string): number {
  return text.lastIndexOf('\n', text.indexOf(part)) + 1;
}
