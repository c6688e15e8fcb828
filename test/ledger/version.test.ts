import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/base/journal-lines.ts';
import { checkLedger } from '../../src/ledger/file/check.ts';
import type { SingleTerms } from '../../src/ledger/ledger.ts';
import { accepted, account, day, message, openLedger, planOf, rowOf, secret, temporaryFolder } from './rig.ts';

const noon = Date.UTC(2026, 2, 4, 12);
const single: SingleTerms = { single: { account, mode: 'live', kind: 'message', template: 'welcome' } };
const singles = 'singles live profile:acme';
const plan = planOf('ada:1 bob:1');

describe('a segment of version 1', () => {
  it('is read', async () => {
    const folder = written();
    const ledger = openLedger(folder, { now: () => noon + 60_000 });
    expect(await ledger.look(message('cyd:1'), single)).toMatchObject({ verdict: 'elsewhere', run: singles });
    const registered = accepted(await ledger.register(plan));
    expect(registered).toMatchObject({ run: '35c2b0d06c50', counts: { done: 1, due: 1 } });
    await ledger.close();
    expect(() => checkLedger(folder)).not.toThrow();
  });

  it('gets only lines that an older version can read', async () => {
    const folder = written();
    await send(folder, 'dan:1', noon + 1_000);
    const [lines = []] = segmentsIn(folder);
    expect(lines.slice(14).map(typeOf)).toEqual(['owner', 'rows', 'work', 'work', 'end']);
    const ledger = openLedger(folder, { now: () => noon + 2_000 });
    expect(await ledger.look(message('dan:1'), single)).toMatchObject({ verdict: 'elsewhere' });
    await ledger.close();
  });

  it('is followed by one of version 2 on the next day', async () => {
    const folder = written();
    await send(folder, 'dan:1', noon + day);
    const [, lines = []] = segmentsIn(folder);
    expect(lines[0]).toContain('{"format":"bizmsg ledger","version":2,"secret"');
    expect(lines.slice(1).map(typeOf)).toEqual(['claim', 'settled']);
    const ledger = openLedger(folder, { now: () => noon + day });
    expect(await ledger.runs()).toMatchObject([{ counts: { done: 1, planned: 1 } }, { counts: { done: 2 } }]);
    await ledger.close();
  });
});

it('a segment of version 3 is left as it is, with the hint that a newer bizmsg wrote it', async () => {
  const folder = written();
  const path = join(folder, '2026-03-05.ndjson');
  const text = lineOf({ format: 'bizmsg ledger', version: 3 }) + lineOf({ type: 'new' });
  writeFileSync(path, text);
  const newer = {
    exit: 'configuration',
    code: 'journal-unknown',
    hint: expect.stringMatching(/^if a newer bizmsg wrote it, use that version;/),
  };
  const ledger = openLedger(folder, { now: () => noon + day });
  await expect(ledger.claim([rowOf(plan, 0)], single)).rejects.toMatchObject(newer);
  await ledger.close();
  expect(() => checkLedger(folder)).toThrow(expect.objectContaining(newer));
  expect(readFileSync(path, 'utf8')).toBe(text);
});

/** A ledger as bizmsg wrote it before version 2: a run with one of two rows sent, and a single message. */
function written(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'secret'), Buffer.from(secret, 'hex'));
  copyFileSync(join(import.meta.dirname, 'version-1.ndjson'), join(folder, '2026-03-04.ndjson'));
  return folder;
}

async function send(folder: string, text: string, now: number): Promise<void> {
  const ledger = openLedger(folder, { now: () => now });
  const row = message(text);
  expect(await ledger.claim([row], single)).toEqual([{ verdict: 'yours' }]);
  await ledger.close([{ run: singles, row, outcome: 'done' }]);
}

/** The lines of each segment. */
function segmentsIn(folder: string): readonly (readonly string[])[] {
  const names = readdirSync(folder).filter((name) => /^\d.*\.ndjson$/.test(name));
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
}

function typeOf(line: string): string | undefined {
  return /"type":"([^"]+)"/.exec(line)?.[1];
}
