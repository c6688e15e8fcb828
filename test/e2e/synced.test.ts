import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import { canInject } from '../support/strace.ts';
import { openWorld } from '../support/world.ts';
import * as rig from './batches-rig.ts';
import type { Place } from './batches-rig.ts';

const send = (row: number) => ['send-template', rig.phoneOf(row), 'welcome', '-p', 'Ada', '--yes'];

const tracing = ['strace', '-f', '-qq', '-y', '-e', 'trace=fsync,fdatasync,write,writev,sendto', '-e', 'signal=none'];

/** The names of files that are synced, and the requests that leave, in order. */
async function synced({ home, env }: Pick<Place, 'home' | 'env'>, argv: readonly string[]): Promise<readonly string[]> {
  const trace = join(home, 'trace');
  const [name = '', ...words] = [...tracing, '-o', trace, process.execPath, binary, ...argv];
  await execa(name, words, { cwd: home, env: cleanEnv(home, env), extendEnv: false, reject: false });
  const steps = readFileSync(trace, 'utf8').matchAll(/sync\(\d+<.*\/([^/>]+)>|<socket:.*"(POST) /g);
  return [...steps].map(([, file, method = '']) => file ?? method);
}

/** Each commit syncs the database once. */
const commits = (steps: readonly string[]) => steps.filter((step) => step.endsWith('ledger.db') || step === 'POST');

describe.skipIf(!canInject)('what a power cut must not take (needs strace)', () => {
  it('is synced before a live message leaves: its claim; then its outcome', async () => {
    const place = await rig.newPlace();
    const steps = await synced(place, send(1));
    expect(commits(steps).slice(-3)).toEqual(['ledger.db', 'POST', 'ledger.db']);
  });

  it('are two transactions of a later message', async () => {
    const place = await rig.newPlace();
    expect((await place.bin(send(1))).code).toBe(0);
    const steps = await synced(place, send(2));
    expect(commits(steps)).toEqual(['ledger.db', 'POST', 'ledger.db']);
  });

  it('are the rows of a batch, each claim before its request, and the outcomes', async () => {
    const place = await rig.newPlace();
    rig.writePeople(place, 5);
    const steps = commits(await synced(place, rig.batch('people.csv')));
    const [first, last] = [steps.indexOf('POST'), steps.lastIndexOf('POST')];
    // The fifth row is claimed once one of the first four has an answer.
    const parts = [steps.slice(0, first), steps.slice(first, last), steps.slice(last)];
    for (const part of parts) expect(part).toContain('ledger.db');
  });

  it('is not the mark, nor what the local sandbox got', async () => {
    const place = await rig.newPlace();
    expect((await synced(place, send(1))).filter((file) => file.endsWith('.mark'))).toEqual([]);
    const world = await openWorld();
    onTestFinished(world.close);
    rig.writePeople(world, 3);
    const steps = await synced(world, ['send-batch', 'welcome', 'people.csv']);
    expect([steps.includes('POST'), steps.filter((step) => step.includes('.db'))]).toEqual([true, []]);
  });
});
