import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import { canTrace } from '../support/power-cut-trace.ts';
import * as rig from './runs-rig.ts';

const send = (row: number) => ['send-template', rig.phoneOf(row), 'welcome', '-p', 'Ada', '--yes'];

it.skipIf(!canTrace)('a live message syncs two transactions: its claim and its outcome (needs strace)', async () => {
  const place = await rig.newPlace();
  expect((await place.bin(send(1))).code).toBe(0);
  const trace = join(place.home, 'trace');
  const tracing = ['strace', '-f', '-qq', '-y', '-o', trace, '-e', 'trace=fsync,fdatasync', '-e', 'signal=none'];
  const [name = '', ...words] = [...tracing, process.execPath, binary, ...send(2)];
  const options = { cwd: place.home, env: cleanEnv(place.home, place.env), extendEnv: false } as const;
  await execa(name, words, options);
  const synced = [...readFileSync(trace, 'utf8').matchAll(/sync\(\d+<.*\/([^/>]+)>/g)].map(([, name]) => name);
  // Each commit syncs the database once.
  expect(synced.filter((name) => name === 'ledger.db')).toHaveLength(2);
  expect(synced.filter((name) => name?.startsWith('logs.db') || name?.startsWith('pace.db'))).toEqual([]);
});
