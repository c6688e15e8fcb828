import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openJournal } from '../../../src/base/journal.ts';
import type { Change } from '../../../src/sandbox/state/records.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { type FileJournal, openFileJournal } from '../../../src/sandbox/state/file-journal.ts';
import { canLimitFiles, withRoomFor } from '../../support/disk.ts';
import { bearing, order, paths } from '../calls.ts';

const commits: readonly (readonly Change[])[] = [
  [{ type: 'seed', seed: 'a seed' }],
  [
    { type: 'go-live', at: 1 },
    { type: 'revoke', key: 'key_1', at: 2 },
  ],
];

it('returns the recorded commits', async () => {
  const folder = temporary();
  await recorded(folder, commits);
  expect(await pastOf(folder)).toEqual(commits);
  expect(readdirSync(folder)).toEqual(['journal.ndjson']);
});

it('has a line for each commit', async () => {
  const folder = temporary();
  await recorded(folder, commits);
  expect(readFileSync(logIn(folder), 'utf8').split('\n')).toHaveLength(1 + commits.length + 1);
});

it('can replace all commits', async () => {
  const folder = temporary();
  await recorded(folder, commits);
  const journal = open(folder);
  expect([...journal.past]).toEqual(commits);
  journal.replace([[{ type: 'seed', seed: 'another' }]]);
  journal.append([{ type: 'go-live', at: 3 }]);
  await journal.close();
  expect(await pastOf(folder)).toEqual([[{ type: 'seed', seed: 'another' }], [{ type: 'go-live', at: 3 }]]);
});

it('reports the bytes lost in a crash', async () => {
  const folder = temporary();
  await recorded(folder, commits);
  appendFileSync(logIn(folder), '[123,[{"ty');
  const warnings: string[] = [];
  const journal = openFileJournal(folder, { later, warn: (text) => warnings.push(text) });
  expect([...journal.past]).toEqual(commits);
  await journal.close();
  expect(warnings).toEqual([expect.stringContaining('10 bytes')]);
  expect(warnings[0]).toContain(logIn(folder));
});

it.each([[{ no: 'commit' }], [['no change']], [[{ type: 7 }]], [null]])(
  'refuses what no sandbox wrote: %j',
  async (record) => {
    const folder = temporary();
    const journal = openJournal(logIn(folder), { kind: 'sandbox', version: 1, later });
    journal.append(record);
    await journal.close();
    await expect(pastOf(folder)).rejects.toMatchObject({
      exit: 'configuration',
      code: 'journal-damaged',
      message: expect.stringContaining(logIn(folder)),
    });
  },
);

it('lets a sandbox continue where it ended', async () => {
  const folder = temporary();
  const before = open(folder);
  const sandbox = createSandbox({ journal: before, plan: 'growth' });
  const headers = bearing(sandbox.keys.sandbox);
  const send = { method: 'POST', target: paths.send, headers, body: JSON.stringify(order) };
  await sandbox.answer(send);
  await sandbox.answer({ ...send, target: paths.contacts, body: '{"phone":"+12025550177"}' });
  sandbox.close();
  await before.close();

  const after = open(folder);
  const again = createSandbox({ journal: after });
  again.close();
  expect(again.keys.list()).toEqual(sandbox.keys.list());
  expect(again.messages()).toEqual(sandbox.messages());
  expect(again.contacts()).toEqual(sandbox.contacts());
  expect(again.events()).toEqual(sandbox.events());
  expect(again.requests()).toEqual(sandbox.requests());
  expect([again.plan(), again.secret()]).toEqual([sandbox.plan(), sandbox.secret()]);
  expect((await again.answer(send)).status).toBe(200);
  expect(new Set(again.messages().map(({ id }) => id)).size).toBe(2);
  await after.close();
});

it.skipIf(!canLimitFiles)('has a sandbox fail on what it cannot keep, and on nothing else', async () => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal });
  const { events, requests } = sandbox.cursors();
  const create = (phone: string) =>
    sandbox.answer({
      method: 'POST',
      target: paths.contacts,
      headers: bearing(sandbox.keys.sandbox),
      body: JSON.stringify({ phone }),
    });
  const { size } = statSync(logIn(folder));
  const refused = await withRoomFor(size + 100, () => create('+12025550177'));
  expect([refused.status, sandbox.cursors()]).toEqual([500, { events, requests }]);
  expect((await create('+12025550178')).status).toBe(201);
  sandbox.close();
  await journal.close();
  const kept = (await pastOf(folder)).flat().filter(({ type }) => type === 'contact');
  expect(kept.at(-1)).toMatchObject({ contact: { phone: '+12025550178' } });
  expect(JSON.stringify(kept)).not.toContain('+12025550177');
});

const later = () => () => {};

function open(folder: string): FileJournal {
  return openFileJournal(folder, { later });
}

async function recorded(folder: string, commits: readonly (readonly Change[])[]): Promise<void> {
  const journal = open(folder);
  for (const changes of commits) journal.append(changes);
  await journal.close();
}

async function pastOf(folder: string): Promise<readonly (readonly Change[])[]> {
  const journal = open(folder);
  try {
    return [...journal.past];
  } finally {
    await journal.close();
  }
}

function logIn(folder: string): string {
  return join(folder, 'journal.ndjson');
}

function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it.each([
  ['is missing', (lines: readonly string[]) => lines.toSpliced(2, 1)],
  ['is repeated', (lines: readonly string[]) => lines.toSpliced(2, 0, lines[2] ?? '')],
  ['is moved', (lines: readonly string[]) => lines.toSpliced(1, 2, lines[2] ?? '', lines[1] ?? '')],
])('rejects a journal if a line %s', async (_, change) => {
  const folder = temporary();
  await recorded(folder, [...commits, [{ type: 'go-live', at: 9 }]]);
  const lines = readFileSync(logIn(folder), 'utf8').split('\n');
  writeFileSync(logIn(folder), change(lines).join('\n'));
  await expect(pastOf(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
});
