// Records claims and outcomes like a run: with each group of claims, the outcomes of the previous one. Compares with
// appending the same lines to a plain file.
import { closeSync, fdatasyncSync, openSync, readFileSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { newPath } from '../rig/processes.mjs';
import { perSecond } from '../rig/table.mjs';
import { takeTurns } from '../rig/turns.mjs';
import { loadLibrary, randomRows } from './library.mjs';

export async function speed(isQuick) {
  const count = isQuick ? 6_400 : 64_000;
  const { open, planOf } = await loadLibrary();
  const rows = randomRows(count);
  const plan = planOf(rows);
  const kinds = [
    { group: 16, name: 'a local sandbox, no sync', isLocal: true },
    { group: 64, name: 'a local sandbox, no sync', isLocal: true },
    { group: 16, name: 'one sync per group', isLocal: false },
    { group: 64, name: 'one sync per group', isLocal: false },
  ];
  const results = [];
  for (const { group, name, isLocal } of kinds) {
    const [ledger, bare] = [{}, {}];
    let lines = [];
    const turns = await takeTurns([ledger, bare], { rounds: isQuick ? 3 : 5, seconds: 60 }, async (contestant) => {
      if (contestant === bare) return { perSecond: count / append(lines, isLocal) };
      const folder = newPath('ledger');
      const seconds = await claimAll(open(folder, isLocal), plan, rows, group);
      lines = linesIn(folder);
      return { perSecond: count / seconds };
    });
    const value = perSecond(turns.median(ledger, 'perSecond'));
    const rival = `plain appends: ${perSecond(turns.median(bare, 'perSecond'))}`;
    const ratios = turns.ratios(ledger, bare, 'perSecond');
    results.push({ what: `claim and settle, groups of ${group}, ${name}`, value, ratios, rival });
  }
  return results;
}

async function claimAll(ledger, plan, rows, group) {
  const { run } = await ledger.register(plan);
  const began = performance.now();
  let outcomes = [];
  for (let at = 0; at < rows.length; at += group) {
    const some = rows.slice(at, at + group);
    const [verdicts] = await Promise.all([ledger.claim(some, { run }), ledger.settle(outcomes)]);
    if (verdicts.some(({ verdict }) => verdict !== 'yours')) throw new Error('a row was not granted');
    outcomes = some.map((row) => ({ run, row, outcome: 'done' }));
  }
  await ledger.settle(outcomes);
  const seconds = (performance.now() - began) / 1_000;
  await ledger.close();
  return seconds;
}

/** The lines of claims and outcomes. */
function linesIn(folder) {
  const segment = readdirSync(folder).find((name) => /^\d.*\.ndjson$/.test(name));
  const lines = readFileSync(join(folder, segment), 'utf8').split('\n');
  return lines.filter((line) => line.includes('"type":"work"')).map((line) => `${line}\n`);
}

/** Syncs every other line, because claims must be on disk before a send. */
function append(lines, isLocal) {
  const fd = openSync(newPath('bare'), 'a');
  const began = performance.now();
  for (const [at, line] of lines.entries()) {
    writeSync(fd, line);
    if (!isLocal && at % 2 === 0) fdatasyncSync(fd);
  }
  closeSync(fd);
  return (performance.now() - began) / 1_000;
}
