import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { stateFolder } from '../../src/session/folders.ts';
import { homeEnv } from '../support/system.ts';
import { temporaryHome } from '../support/bin.ts';
import { rig } from './batch-rig.ts';

const service = 'https://api.example.com';

function machine() {
  const home = temporaryHome();
  onTestFinished(home.remove);
  const folder = stateFolder({ env: homeEnv(home.path), home: home.path });
  const file = (name: string) => join(folder, name);
  const opened = async (key = 'sk_live_0123456789abcdef', words = {}) => {
    const { context } = rig({ home: home.path, env: { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: service }, words });
    const { signal } = context.host;
    return (await context.clientForBatch({ stop: signal, leave: signal })).record();
  };
  return { folder, file, opened };
}

const write = () => query('SELECT 1');

describe('the record of a batch', () => {
  it('is created for this user only, once', async () => {
    const { folder, file, opened } = machine();
    const first = await opened();
    expect(first).toMatchObject({ account: service, mode: 'live' });
    await first.close();
    expect(await opened()).toMatchObject({ mode: 'live' });
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['ledger.db', 'ledger.mark']));
    for (const name of ['ledger.db', 'ledger.mark']) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
  });

  it('counts a key of unknown mode as live, and has sandbox keys of an account, too', async () => {
    const { opened } = machine();
    expect(await opened('unknown_0123456789abcdef')).toMatchObject({ mode: 'live' });
    expect(await opened('sk_test_0123456789abcdef')).toMatchObject({ mode: 'sandbox' });
  });

  it('is in memory for a dry run on a machine that has none', async () => {
    const { file, opened } = machine();
    const record = await opened(undefined, { dryRun: ['--dry-run'] });
    await record.database.write(write);
    expect(existsSync(file('ledger.db'))).toBe(false);
  });

  it.each(['restored', 'removed'])('is refused if it was %s after it was used', async (how) => {
    const { file, opened } = machine();
    await (await opened()).close();
    copyFileSync(file('ledger.db'), file('backup'));
    const record = await opened();
    await record.database.write(write);
    await record.close();
    if (how === 'restored') copyFileSync(file('backup'), file('ledger.db'));
    else rmSync(file('ledger.db'));
    await expect(opened()).rejects.toMatchObject({ code: 'ledger-older', exit: 'unsafe' });
  });

  it('is refused in the running process once an older one is copied over it', async () => {
    const { file, opened } = machine();
    const record = await opened();
    copyFileSync(file('ledger.db'), file('backup'));
    for (let n = 0; n < 2; n++) await record.database.write(write);
    writeFileSync(file('ledger.db'), readFileSync(file('backup')));
    await expect(record.database.write(write)).rejects.toMatchObject({ code: 'ledger-older', exit: 'unsafe' });
  });

  it('ends the running process if its file is removed', async () => {
    const { file, opened } = machine();
    const record = await opened();
    rmSync(file('ledger.db'));
    await expect(record.database.write(write)).rejects.toMatchObject({
      code: 'database-removed',
      exit: 'configuration',
    });
  });

  it('refuses tables of a newer version', async () => {
    const { opened } = machine();
    const record = await opened();
    await record.database.write(() => query('UPDATE meta SET version = 2'));
    await record.close();
    await expect(opened()).rejects.toMatchObject({ code: 'database-newer', exit: 'configuration' });
  });

  it('refuses what is not a database', async () => {
    const { folder, file, opened } = machine();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file('ledger.db'), 'x\n'.repeat(999));
    await expect(opened()).rejects.toMatchObject({ code: 'database-damaged', exit: 'configuration' });
  });

  it('is checked as a whole after the machine has restarted during a batch', async () => {
    const { file, opened } = machine();
    const record = await opened();
    await record.database.write(function* () {
      yield* query("INSERT INTO batch (id, scope, name, made_at, last_at, worker) VALUES ('1', 1, 'a', 1, 1, 'w')");
      yield* query("INSERT INTO opt_out (account, phone, at, word) VALUES ('a', '+12025550101', 1, '')");
    });
    await record.close();
    const bytes = readFileSync(file('ledger.db'));
    // The phone is in the table and in its index.
    bytes.write('x', bytes.indexOf('+12025550101'));
    writeFileSync(file('ledger.db'), bytes);
    await expect(opened()).rejects.toMatchObject({ code: 'database-damaged', exit: 'configuration' });
  });
});
