import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program, run } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { canInject } from '../support/strace.ts';
import { newWorld } from '../support/world.ts';
import * as rig from './rig.ts';

const send = (row: number) => ['send-template', rig.phoneOf(row), 'welcome', '-p', 'Ada', '--yes'];

const calls = 'trace=fsync,fdatasync,rename,write,writev,sendto';
const tracing = ['strace', '-f', '-qq', '-y', '-e', calls, '-e', 'signal=none'];

/** The names of files that are synced, renames, and requests that leave, in order. */
async function steps(
  { home, env }: Pick<rig.Place, 'home' | 'env'>,
  argv: readonly string[],
): Promise<readonly string[]> {
  const trace = join(home, 'trace');
  await run([...tracing, '-o', trace, ...program, ...argv], { home, env, cwd: home, input: 'sk_test_1234' });
  const pattern = /sync\(\d+<.*\/([^/>]+)>|rename\(".*\/([^/"]+)", ".*\/([^/"]+)"|<socket:.*"POST /g;
  const all = readFileSync(trace, 'utf8').matchAll(pattern);
  return [...all].map(([, file, from, to]) => file ?? (from === undefined ? 'POST' : `${from} -> ${to}`));
}

/** Each commit syncs the database once. */
const commits = (all: readonly string[]) => all.filter((step) => step === 'ledger.db' || step === 'POST');

describe.skipIf(!canInject)('what a power cut must not take (needs strace)', () => {
  it('is the claim of a live message before it leaves, and its outcome; at first, also the name of their file', async () => {
    const place = await rig.newPlace();
    const first = await steps(place, send(1));
    expect(first.slice(0, first.indexOf('POST'))).toContain('bizmsg');
    const all = commits(first);
    const at = all.indexOf('POST');
    // Then it removes what is old, once a day.
    expect(all.slice(at - 1, at + 2)).toEqual(['ledger.db', 'POST', 'ledger.db']);
    expect(first.filter((file) => file.endsWith('.mark'))).toEqual([]);
    expect(commits(await steps(place, send(2)))).toEqual(['ledger.db', 'POST', 'ledger.db']);
  });

  it('are the rows of a batch, each claim before its request, and the outcomes', async () => {
    const place = await rig.newPlace();
    rig.writePeople(place, 5);
    const all = commits(await steps(place, rig.batch('people.csv')));
    const [first, last] = [all.indexOf('POST'), all.lastIndexOf('POST')];
    // The fifth row is claimed once one of the first four has an answer.
    const parts = [all.slice(0, first), all.slice(first, last), all.slice(last)];
    for (const part of parts) expect(part).toContain('ledger.db');
  });

  it.each([
    ['the profiles', 'profiles.json', 'login --no-check --profile acme --base-url http://127.0.0.1:9 --key-stdin'],
    ["a sandbox's state", 'state.json', 'sandbox start --port 0 --idle 1ms'],
  ])('is the new file of %s before it replaces the old one', async (_, file, line) => {
    const all = await steps({ home: newHome(), env: {} }, line.split(' '));
    const at = all.findIndex((step) => step.endsWith(`-> ${file}`));
    expect(all[at]).toBe(`${all[at - 1]} -> ${file}`);
  });

  it('is not what the local sandbox got', async () => {
    const world = await newWorld();
    rig.writePeople(world, 3);
    const all = await steps(world, ['send-batch', 'welcome', 'people.csv']);
    expect([all.includes('POST'), all.filter((step) => step.includes('.db'))]).toEqual([true, []]);
  });
});
