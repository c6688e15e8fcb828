import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openJournal } from '../../../src/base/journal.ts';
import type { Change } from '../../../src/sandbox/state/records.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { type FileJournal, openFileJournal } from '../../../src/sandbox/state/file-journal.ts';
import { testNumbers } from '../../../src/sandbox/state/receipts.ts';
import { manualClock } from '../../../src/sandbox/time/clock.ts';
import { canLimitFiles, withRoomFor } from '../../support/disk.ts';
import { bearing, order, paths } from '../calls.ts';

const commits: readonly (readonly Change[])[] = [
  [{ type: 'seed', seed: 'a seed', dataId: '1' }],
  [{ type: 'go-live' }, { type: 'revoke', key: 'key_1' }],
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
  journal.replace([[{ type: 'seed', seed: 'another', dataId: '2' }]]);
  journal.append([{ type: 'go-live' }]);
  await journal.close();
  expect(await pastOf(folder)).toEqual([[{ type: 'seed', seed: 'another', dataId: '2' }], [{ type: 'go-live' }]]);
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
    const journal = openJournal(logIn(folder), { kind: 'sandbox', version: 2, later });
    journal.append(record);
    await journal.close();
    await expect(pastOf(folder)).rejects.toMatchObject({
      exit: 'configuration',
      code: 'journal-damaged',
      message: expect.stringContaining(logIn(folder)),
    });
  },
);

it.skipIf(!canLimitFiles)('has a sandbox fail on what it cannot keep, and on nothing else', async () => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal });
  const cursors = sandbox.cursors();
  const create = (phone: string) => sandbox.answer(contactOf(sandbox, phone).exchange);
  const { size } = statSync(logIn(folder));
  const refused = await withRoomFor(size + 100, () => create('+12025550177'));
  expect([refused.status, sandbox.cursors()]).toEqual([500, cursors]);
  expect((await create('+12025550178')).status).toBe(201);
  sandbox.close();
  await journal.close();
  const kept = (await pastOf(folder)).flat().filter(({ type }) => type === 'contact');
  expect(kept.at(-1)).toMatchObject({ contact: { phone: '+12025550178' } });
  expect(JSON.stringify(kept)).not.toContain('+12025550177');
});

it('has one line for requests that are answered together', async () => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal });
  const before = readFileSync(logIn(folder), 'utf8').split('\n').length;
  const replies = sandbox.answerAll([contactOf(sandbox, '+12025550177'), contactOf(sandbox, '+12025550178')]);
  expect(replies.map(([, reply]) => reply)).toMatchObject([{ status: 201 }, { status: 201 }]);
  expect(readFileSync(logIn(folder), 'utf8').split('\n')).toHaveLength(before + 1);
  expect(await afterRestart(folder, { sandbox, journal })).toEqual(contentsOf(sandbox));
});

it.skipIf(!canLimitFiles)('fails on all requests that are answered together if it cannot keep them', async () => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal });
  const asked = [contactOf(sandbox, '+12025550177'), contactOf(sandbox, '+12025550178')];
  const { size } = statSync(logIn(folder));
  const replies = withRoomFor(size + 500, () => sandbox.answerAll(asked));
  expect(replies.map(([, reply]) => reply)).toMatchObject([{ status: 500 }, { status: 500 }]);
  await journal.close();
  sandbox.close();
  expect((await pastOf(folder)).flat().filter(({ type }) => type === 'contact')).toHaveLength(5);
});

it.skipIf(!canLimitFiles)('writes what it could not keep before the next change', async () => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal });
  const { size } = statSync(logIn(folder));
  withRoomFor(size + 100, () => sandbox.answerAll([contactOf(sandbox, '+12025550177')]));
  const [[, reply] = []] = sandbox.answerAll([contactOf(sandbox, '+12025550178')]);
  expect(reply).toMatchObject({ status: 201 });
  expect(await afterRestart(folder, { sandbox, journal })).toEqual(contentsOf(sandbox));
});

const faultAfter = { on: ['sendTemplate'], effect: { kind: 'status', status: 500 }, after: true } as const;
const phone = '+12025550177';

it.each<[string, (sandbox: Sandbox) => unknown]>([
  ['a message that is delivered', (sandbox) => sandbox.answer(sendOf(sandbox))],
  ['a message that fails', (sandbox) => sandbox.answer(sendOf(sandbox, { to: testNumbers.fails }))],
  [
    'a message of a target with a query',
    (sandbox) => sandbox.answer({ ...sendOf(sandbox), target: `${paths.send}?a=1` }),
  ],
  ['a refused message', (sandbox) => sandbox.answer(sendOf(sandbox, { params: [] }))],
  [
    'a message with a fault',
    (sandbox) => [sandbox.faults.add(faultAfter), sandbox.answer(sendOf(sandbox)), sandbox.answer(sendOf(sandbox))],
  ],
  ['a broadcast', (sandbox) => sandbox.trigger('broadcast.completed', {})],
  ['a contact', (sandbox) => sandbox.answer(contactOf(sandbox, phone).exchange)],
  [
    'a contact with a webhook',
    (sandbox) => [
      sandbox.webhooks.add({ url: 'http://127.0.0.1:9' }),
      sandbox.answer(contactOf(sandbox, phone).exchange),
    ],
  ],
  ['a known contact', (sandbox) => [1, 2].map(() => sandbox.answer(contactOf(sandbox, phone).exchange))],
])('keeps %s and its request', async (_, act) => {
  const folder = temporary();
  const journal = open(folder);
  const sandbox = createSandbox({ journal, clock: manualClock() });
  await act(sandbox);
  expect(await afterRestart(folder, { sandbox, journal })).toEqual(contentsOf(sandbox));
});

function sendOf({ keys }: Sandbox, change: object = {}) {
  const body = JSON.stringify({ ...order, ...change });
  return { method: 'POST', target: paths.send, headers: bearing(keys.sandbox), body };
}

function contactOf({ keys }: Sandbox, phone: string) {
  const body = JSON.stringify({ phone });
  return { exchange: { method: 'POST', target: paths.contacts, headers: bearing(keys.sandbox), body } };
}

function contentsOf(sandbox: Sandbox) {
  return {
    contacts: sandbox.contacts(),
    events: sandbox.events(),
    requests: sandbox.requests(),
    stories: sandbox.messages().map(({ id }) => sandbox.message(id)),
    deliveries: sandbox.deliveries(),
    faults: sandbox.faults.list(),
  };
}

/** The contents of a new sandbox in the same folder. */
async function afterRestart(folder: string, { sandbox, journal }: { sandbox: Sandbox; journal: FileJournal }) {
  sandbox.close();
  await journal.close();
  const after = open(folder);
  const again = createSandbox({ journal: after });
  again.close();
  await after.close();
  return contentsOf(again);
}

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
  await recorded(folder, [...commits, [{ type: 'go-live' }]]);
  const lines = readFileSync(logIn(folder), 'utf8').split('\n');
  writeFileSync(logIn(folder), change(lines).join('\n'));
  await expect(pastOf(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'journal-damaged' });
});
