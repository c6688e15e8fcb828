import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canSwapFiles } from '../support/disk.ts';
import { errorIn, noteCodes } from '../support/json-lines.ts';
import * as rig from './import-rig.ts';

const rows = 500;
const line = 'bizmsg send-batch welcome people.csv -o ndjson';

describe('a run whose stdout is closed by the reader', () => {
  it('finishes, and prints on stderr that its output is not read', async () => {
    const world = await rig.newWorld();
    rig.writePeople(world, rows);
    const cut = await rig.shell(world, `set -o pipefail; ${line} | head -1`);
    expect([cut.code, rig.objectsIn(`${cut.stdout}\n`)]).toMatchObject([0, [{ type: 'row', outcome: 'sent' }]]);
    expect(noteCodes(`${cut.stderr}\n`)).toEqual(['simulated', 'unread']);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });

  it('keeps its exit code', async () => {
    const world = await rig.newWorld();
    rig.writePeople(world, rows);
    rig.addFault(world.sandbox, { kind: 'status', status: 400 });
    const cut = await rig.shell(world, `set -o pipefail; ${line} | true`);
    expect([cut.code, errorIn(`${cut.stderr}\n`)]).toMatchObject([6, { code: 'too-many-errors' }]);
  });
});

describe.skipIf(!canSwapFiles)('a run whose output disk is full', () => {
  const full = async (argv: string, count = rows) => {
    const world = await rig.newWorld();
    rig.slow(world, 5);
    rig.writePeople(world, count);
    const ran = await rig.shell(world, `bizmsg send-batch welcome people.csv ${argv} > /dev/full`);
    return { world, ran, failure: argv.includes('json') ? errorIn(`${ran.stderr}\n`) : undefined };
  };

  it('stops after the requests in flight, and prints its progress and how to continue', async () => {
    const { world, ran, failure } = await full('-o ndjson');
    const sent = world.sandbox.counts().messages;
    expect([ran.code, failure]).toMatchObject([3, { code: 'output-unwritable' }]);
    expect([sent > 0, sent < rows]).toEqual([true, true]);
    expect(failure?.['hint']).toContain(`${rows - sent} rows were not sent; run the same command again to send them`);
    const [run] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'])).stdout);
    expect(run).toMatchObject({ sent, unsure: 0 });
    expect((await rig.shell(world, line)).code).toBe(0);
    expect([rig.twice(world), rig.unsentRows(world, rows)]).toEqual([[], []]);
  });

  it('reports it even if all rows are done', async () => {
    const { ran, failure } = await full('-o json', 20);
    expect([ran.code, failure]).toMatchObject([3, { code: 'output-unwritable' }]);
    expect(failure?.['hint']).toMatch(/bizmsg runs show [0-9a-f]{12} shows what was done/);
  });

  it('keeps the exit code of a wrong mapping', async () => {
    const world = await rig.newWorld();
    rig.writePeople(world, rows);
    rig.addFault(world.sandbox, { kind: 'status', status: 400 });
    const ran = await rig.shell(world, 'bizmsg send-batch welcome people.csv > /dev/full');
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining('and not all of the result could be written')]);
  });
});

it('a run that stops after too many failed rows prints how to go on', async () => {
  const world = await rig.newWorld();
  rig.writePeople(world, 60);
  const { code, stderr, stdout } = await rig.shell(world, 'bizmsg contacts import people.csv --map name=tags');
  expect([code, stdout]).toEqual([
    6,
    expect.stringMatching(/^Stopped \(simulated\) after [\d.]+ m?s: 0 of 60 rows imported\n/),
  ]);
  const more = stderr.trimEnd().split('\n').at(-1);
  expect(more).toMatch(/^ {2}\d+ rows were not sent; fix the cause, then run the same command again to send them$/);
});

it('repeats the command and the input in its summary', async () => {
  const world = await rig.newWorld();
  const file = rig.writePeople(world, 3);
  const imported = await world.run(['contacts', 'import', file, '-o', 'json']);
  const sent = await world.run(['send-batch', 'welcome', '-', '-o', 'json'], {
    stdin: readFileSync(file, 'utf8'),
  });
  const empty = await world.run(['contacts', 'import', rig.writePeople(world, 0, 'none.csv'), '-o', 'json']);
  expect([imported, sent, empty].map(({ stdout }) => rig.summaryIn(stdout))).toMatchObject([
    { command: 'contacts import', file },
    { command: 'send-batch', file: 'stdin' },
    { command: 'contacts import', file: join(world.home, 'none.csv') },
  ]);
});
