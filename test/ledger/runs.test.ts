import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lineOf } from '../../src/journal-lines.ts';
import type { RunEntry } from '../../src/ledger/file/runs.ts';
import { openRunIndex } from '../../src/ledger/file/runs.ts';
import { temporaryFolder } from './rig.ts';

const entry: RunEntry = {
  run: 'r1',
  command: 'bizmsg send-batch welcome people.csv',
  file: 'people.csv',
  kind: 'message',
  template: 'welcome',
  account: 'profile:acme',
  job: undefined,
  startedAt: 1,
  counts: { planned: 40_000 },
  updatedAt: 1,
  endedAt: undefined,
  stopped: undefined,
};

it('lists all runs with what was recorded last, also by another process', () => {
  const folder = temporaryFolder();
  const [one, other] = [openRunIndex(folder, () => {}), openRunIndex(folder, () => {})];
  expect(other.list()).toEqual([]);
  one.put(entry);
  other.put({ ...entry, run: 'r2' });
  one.put({ ...entry, counts: { done: 40_000 }, endedAt: 2 });
  const names = ({ run, endedAt }: RunEntry) => [run, endedAt];
  expect(other.list().map(names)).toEqual([
    ['r1', 2],
    ['r2', undefined],
  ]);
  other.remove('r1');
  expect(one.list()).toEqual([{ ...entry, run: 'r2' }]);
  for (const index of [one, other]) index.close();
});

it('needs a few hundred bytes for a run of any size', () => {
  const folder = temporaryFolder();
  const index = openRunIndex(folder, () => {});
  for (let run = 0; run < 200; run++) index.put({ ...entry, run: `r${run}` });
  index.close();
  expect(statSync(join(folder, 'runs.ndjson')).size).toBeLessThan(200 * 400);
});

it('repairs a line that a crash cut off, and refuses one that is not about a run', () => {
  const folder = temporaryFolder();
  const repaired: number[] = [];
  const index = openRunIndex(folder, (_, bytes) => void repaired.push(bytes));
  index.put(entry);
  const path = join(folder, 'runs.ndjson');
  appendFileSync(path, '[123,{"put"');
  index.put({ ...entry, run: 'r2' });
  expect(repaired).toEqual([11]);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
  appendFileSync(path, lineOf({ put: { run: 'r3' } }));
  expect(() => index.list()).toThrow(expect.objectContaining({ code: 'journal-damaged' }));
  index.close();
});
