import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createRandom } from '../../../src/sandbox/state/ids.ts';
import { defaultData } from '../../../src/sandbox/remote/locator.ts';
import { openFileJournal } from '../../../src/sandbox/state/file-journal.ts';
import { temporaryHome } from '../../support/bin.ts';
import { isLong } from '../../support/long-tests.ts';
import { type Asked, askOne, faultsIn, killEarly, load, startReal } from './crashing.ts';

const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 10 : 3));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const patience = 20_000 + kills * 2_000;

it(`loses nothing in ${kills} times kill -9 under load (seed ${seed})`, { timeout: patience }, async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const data = defaultData(join(home.path, '.local/state/bizmsg'));
  const random = createRandom(seed);
  const asked: Asked = { phones: new Set(), contacts: new Map(), messages: new Set() };
  for (let kill = 0; kill < kills; kill++) {
    if (random() < 0.2) await killEarly(home.path, random() * 200);
    const sandbox = await startReal(home.path);
    expect(await faultsIn(sandbox, asked)).toEqual([]);
    expect(await askOne(sandbox, asked)).toBe(true);
    const killed = wait(random() * 120).then(sandbox.kill);
    await load(sandbox, asked);
    // The only warning is about a line that was cut off while being written.
    expect((await killed).said).toMatch(/^$|cut off/);
  }
  const last = await startReal(home.path);
  expect(await faultsIn(last, asked)).toEqual([]);
  expect(await last.end()).toEqual({ code: 0, said: '' });
  expect(asked.contacts.size + asked.messages.size).toBeGreaterThan(asked.phones.size - 8 * kills - 1);
  expect(await changesIn(data)).toBeGreaterThan(asked.contacts.size + asked.messages.size);
  process.stderr.write(`${kills} kills, seed ${seed}, ${asked.contacts.size + asked.messages.size} acknowledged\n`);
});

/** Number of records in an undamaged journal. */
async function changesIn(folder: string): Promise<number> {
  const warn = (text: string) => expect.fail(text);
  const journal = openFileJournal(folder, { later: () => () => {}, warn });
  const changes = [...journal.past].flat();
  await journal.close();
  return changes.length;
}
