import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import { canInject } from '../support/strace.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

const send = (row: number) => ['send-template', rig.phoneOf(row), 'welcome', '-p', 'Ada', '--yes'];

const tracing = ['strace', '-f', '-qq', '-y', '-e', 'trace=fsync,fdatasync,write,writev,sendto', '-e', 'signal=none'];

/** The names of files that are synced, and the requests that leave, in order. */
async function synced({ home, env }: Place, argv: readonly string[]): Promise<readonly string[]> {
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
    expect(steps.filter((step) => /^(?:logs|pace)\.db/.test(step))).toEqual([]);
  });

  it('are the claims of a batch, each before its request', async () => {
    const place = await rig.newPlace();
    rig.writePeople(place, 2);
    expect((await place.bin(send(3))).code).toBe(0);
    const steps = await synced(place, rig.batch('people.csv', '--batch', 'autumn', '--rate', '1/s'));
    const first = steps.indexOf('POST');
    expect(first).toBeGreaterThan(0);
    expect(commits(steps.slice(first, steps.lastIndexOf('POST')))).toContain('ledger.db');
  });
});
