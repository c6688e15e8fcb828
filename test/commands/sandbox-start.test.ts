import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openFileJournal } from '../../src/sandbox/state/file-journal.ts';
import { temporaryHome } from '../support/bin.ts';
import { cli, later } from '../support/cli.ts';

it('keeps its state in a folder, and the next start continues with it', async () => {
  const { home, data, start } = place();
  expect(await start()).toMatchObject({ code: 0, stderr: '' });
  const keys = changesOf(data, 'key');
  expect(keys).toHaveLength(2);
  expect((await start()).code).toBe(0);
  expect(changesOf(data, 'key')).toEqual(keys);
  expect((await cli(['sandbox', 'status', '-o', 'json'], { home })).stdout).toBe('[]\n');
});

it('changes its plan with --plan, and keeps it', async () => {
  const { data, start } = place();
  await start('--plan', 'starter');
  await start();
  await start('--plan', 'growth');
  expect(changesOf(data, 'plan')).toEqual([
    { type: 'plan', plan: expect.objectContaining({ name: 'starter' }) },
    { type: 'plan', plan: expect.objectContaining({ name: 'growth' }) },
  ]);
});

it('keeps its seed, with a note if --rng gives another', async () => {
  const { data, start } = place();
  expect((await start('--rng', 'a seed')).stderr).toBe('');
  expect((await start('--rng', 'a seed')).stderr).toBe('');
  expect(await start('--rng', 'another')).toMatchObject({
    code: 0,
    stderr: 'note: --rng is ignored: this sandbox already has a seed\n',
  });
  expect(changesOf(data, 'seed')).toEqual([expect.objectContaining({ seed: 'a seed' })]);
});

it('notes once that it keeps its seed, even if the record repeats the seed', async () => {
  const { data, start } = place();
  await start('--rng', 'a seed');
  const journal = openFileJournal(data, { later });
  journal.replace([...journal.past, [{ type: 'seed', seed: 'a seed', dataId: '0123456789ab' }]]);
  await journal.close();
  expect((await start('--rng', 'another')).stderr).toBe('note: --rng is ignored: this sandbox already has a seed\n');
});

it('ends with 3 and the place if its state is damaged', async () => {
  const { data, start } = place();
  await start();
  const journal = join(data, 'journal.ndjson');
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('"seed"', '"feed"'));
  const { code, stdout, stderr } = await start();
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain(`error: ${journal} is damaged: the line at byte 53 has a wrong checksum\n`);
});

it.each([
  [['--ephemeral'], '--ephemeral and --data exclude each other'],
  [['--background'], '--data and --background exclude each other'],
])('refuses a folder together with %j', async (words, why) => {
  const { start } = place();
  expect(await start(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
});

function place() {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const data = join(home.path, 'data');
  const words = ['sandbox', 'start', '--data', data, '--port', '0', '--idle', '1ms'];
  return { home: home.path, data, start: (...more: string[]) => cli([...words, ...more], { home: home.path }) };
}

function changesOf(folder: string, type: string): readonly unknown[] {
  const { past } = openFileJournal(folder, { later: () => () => {} });
  return [...past].flat().filter((change) => change.type === type);
}
