import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type FileLedger, openFileLedger } from '../../src/ledger/file/file-ledger.ts';
import { createBook } from '../../src/ledger/book.ts';
import { createMemoryLedger } from '../../src/ledger/memory.ts';
import { later } from '../support/cli.ts';
import { isLong } from '../support/long-tests.ts';
import { check, steps, type World } from './model.ts';
import { temporaryFolder } from './rig.ts';

const numRuns = Number(process.env['BIZMSG_MODEL_RUNS'] ?? (isLong ? 300 : 50));
const timeout = 20_000 + numRuns * 200;
/** Far above what a machine needs. */
const nowhere = 10_000_000;

it('sends nothing twice, in memory', { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(steps, (steps) => check(memoryWorld(), steps)),
    { numRuns },
  );
  expect.assertions(0);
});

it('sends nothing twice, in files', { timeout }, async () => {
  const folder = temporaryFolder();
  let worlds = 0;
  const world = () => fileWorld(`${folder}/${++worlds}`);
  await fc.assert(
    fc.asyncProperty(steps, (steps) => check(world(), steps)),
    { numRuns: Math.ceil(numRuns / 3) },
  );
  expect.assertions(0);
});

function clockAndProcesses() {
  let now = Date.UTC(2026, 2, 4, 12);
  const silent = new Set<number>();
  return {
    isAlive: (pid: number) => !silent.has(pid),
    kill: (pid: number) => void silent.add(pid),
    setSilent: (pid: number, isSilent: boolean) => void (isSilent ? silent.add(pid) : silent.delete(pid)),
    wait: (milliseconds: number) => void (now += milliseconds),
    now: () => now,
  };
}

function memoryWorld(): World {
  const base = clockAndProcesses();
  const book = createBook();
  let id = 0;
  const newId = () => `id${++id}`;
  const isAlive = (owner: { readonly pid: number }) => base.isAlive(owner.pid);
  const open = (pid: number) => createMemoryLedger({ book, pid, start: undefined, now: base.now, isAlive, newId });
  return { ...base, open };
}

function fileWorld(folder: string): World {
  const base = clockAndProcesses();
  const open = (pid: number): FileLedger =>
    openFileLedger({
      folder,
      owner: { pid: nowhere + pid, kill: (asked) => base.isAlive(asked - nowhere) },
      now: base.now,
      later,
      random: () => 0,
      isLocal: false,
      onRepaired: (path) => {
        throw new Error(`${path} was repaired`);
      },
      sync: async () => {},
    });
  return { ...base, open };
}
