import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import type { RunState } from '../../src/ledger/ledger.ts';
import { alive } from '../support/cli.ts';
import { isLong } from '../support/long-tests.ts';
import { posixOnly } from '../support/system.ts';
import { host } from './drivers.ts';
import { openByDigest, openLedger, type OpenOptions } from './opened.ts';
import { accepted, message, messages, planOf, temporaryFolder } from './rig.ts';

const people = 'ada:1 bob:1';
const checked = (stateFolder: string) =>
  checkLedger({ stateFolder, host: { ...host, pid: process.pid, kill: alive } }).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a ledger', () => {
  it(
    'with any changed byte is refused, stops, is found by doctor, or has the same rows',
    { timeout: 120_000 },
    async () => {
      const { folder, path } = await written();
      const whole = readFileSync(path);
      const before = await statesIn(folder);
      const silent: unknown[] = [];
      for (let at = 0; at < whole.length; at += isLong ? 93 : 311) {
        const changed = Buffer.from(whole);
        changed[at] = (whole[at] ?? 0) ^ (at % 2 === 0 ? 0x01 : 0x2b);
        writeFileSync(path, changed);
        const found = await checked(folder);
        if (isConfiguration(found)) continue;
        const states = await statesIn(folder).catch((error: unknown) => error);
        // SQLite has no checksums: a changed account stops the same command, which then asks.
        const isNoticed =
          isConfiguration(states) || (states instanceof Error && states.message.startsWith('it stopped'));
        if (!isNoticed && !isDeepStrictEqual(states, before)) silent.push({ at, found, states });
      }
      expect(silent).toEqual([]);
    },
  );

  it.each(['id TEXT NOT NULL', 'per_columns', 'WHERE job', 'CREATE TABLE ledger', 'unsure'])(
    'with a changed byte in “%s” of its schema is refused',
    async (text) => {
      const { folder, path } = await written();
      const changed = readFileSync(path);
      const at = changed.indexOf(text);
      changed[at] = (changed[at] ?? 0) ^ 1;
      writeFileSync(path, changed);
      expect(at).toBeGreaterThan(0);
      await expect(statesIn(folder)).rejects.toMatchObject({ code: 'database-damaged' });
    },
  );

  it('lists its runs with a different secret, too', async () => {
    const { folder } = await written();
    writeFileSync(join(folder, 'ledger.secret'), Buffer.alloc(32, 1));
    const ledger = await openLedger(folder, { isListing: true });
    expect(await ledger.runs()).toHaveLength(1);
    await ledger.close();
  });

  it('is refused without the secret, and with a different secret', async () => {
    const { folder } = await written();
    const secret = join(folder, 'ledger.secret');
    writeFileSync(secret, Buffer.alloc(32, 1));
    await expect(statesIn(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'ledger-secret' });
    rmSync(secret);
    await expect(statesIn(folder)).rejects.toMatchObject({ exit: 'configuration', code: 'ledger-secret' });
  });

  it('whose rows were in flight at a restart of the machine is checked', async () => {
    posixOnly('the id of the boot is not known');
    const folder = temporaryFolder();
    const first = await openByDigest(folder);
    const { run } = accepted(await first.register(planOf(people)));
    await first.claim(messages(people), { run });
    const path = join(folder, 'old-ledger.db');
    // The process ended with the machine.
    writeFileSync(path, withOtherBoot(readFileSync(path)));
    breakIndex(path);
    const later = { host: { now: () => Date.now() + 100_000 } };
    await expect(statesIn(folder, later)).rejects.toMatchObject({ exit: 'configuration', code: 'database-damaged' });
  });
});

describe('the ledger of the local sandbox', () => {
  it('starts again if it is damaged, with a note, and the damaged file is kept', async () => {
    const { folder, path } = await written({ isLocal: true });
    writeFileSync(path, 'no database');
    const notes: string[] = [];
    const ledger = await openLedger(folder, { isLocal: true, note: (text) => notes.push(text) });
    expect(await ledger.runs()).toEqual([]);
    await ledger.close();
    expect(notes).toEqual([expect.stringContaining('was damaged and starts again')]);
    expect(readdirSync(folder).filter((name) => /^local\.db\.damaged-[^-]*-[^-]*-[^-]*$/.test(name))).toHaveLength(1);
  });

  it('needs no certain secret', async () => {
    const { folder } = await written({ isLocal: true });
    rmSync(join(folder, 'ledger.secret'));
    const ledger = await openLedger(folder, { isLocal: true });
    expect(accepted(await ledger.register(planOf('eve:1 fay:1'))).counts.due).toBe(2);
    await ledger.close();
  });
});

/** A ledger with rows in several states. */
async function written(options: OpenOptions = {}) {
  const folder = temporaryFolder();
  const ledger = await openByDigest(folder, options);
  const { run } = accepted(await ledger.register(planOf(people)));
  await ledger.claim(messages(people), { run });
  await ledger.settle([{ run, row: message('ada:1'), outcome: 'unsure' }]);
  await ledger.settle([{ run, row: message('bob:1'), outcome: 'release' }]);
  await ledger.close();
  return { folder, path: join(folder, options.isLocal ? 'old-local.db' : 'old-ledger.db') };
}

/** The rows of all runs. */
async function statesIn(folder: string, options: OpenOptions = {}): Promise<readonly unknown[]> {
  const ledger = await openByDigest(folder, options);
  try {
    const runs: readonly RunState[] = await ledger.runs();
    const rehearsal = { ...planOf(`${people} eve:1`, { retryUnsure: 'always' }), isRehearsal: true };
    const fates = runs.length > 0 ? accepted(await ledger.register(rehearsal)).fates : undefined;
    return [runs.map(({ id, counts }) => ({ id, counts })), fates];
  } finally {
    await ledger.close();
  }
}

function isConfiguration(error: unknown): boolean {
  return error instanceof CliError && error.exit === 'configuration';
}

/** Makes all processes in the file look like those of another boot. */
function withOtherBoot(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  for (let at = bytes.indexOf('@'); at !== -1; at = bytes.indexOf('@', at + 1)) {
    const boot = changed[at + 1] ?? 0;
    const isHex = /[0-9a-f]/.test(String.fromCharCode(boot));
    if (isHex && /^@[0-9a-f]{8}-[0-9a-f]{4}\./.test(bytes.subarray(at, at + 15).toString('latin1')))
      changed[at + 1] = boot === 0x30 ? 0x31 : 0x30;
  }
  return changed;
}

/** Changes a digest in the index of rows, but not in the table. */
function breakIndex(path: string): void {
  const bytes = readFileSync(path);
  const who = Buffer.from(message('ada:1').subarray(0, 12));
  const places: number[] = [];
  for (let at = bytes.indexOf(who); at !== -1; at = bytes.indexOf(who, at + 1)) places.push(at);
  const last = places.at(-1) ?? 0;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
