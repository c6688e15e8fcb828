import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, type Ran } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './rig.ts';

const send = (row: number) => ['send-template', rig.phoneOf(row), 'welcome', '-p', 'Ada', '-o', 'json'];

/** A place that has sent to two people, with a backup of its record from between. */
async function begun() {
  const place = await rig.newPlace(({ phone }) => ({ reply: phone === rig.phoneOf(99) ? 'hang' : 200 }));
  expect((await run(place, send(1))).code).toBe(0);
  copyFileSync(join(place.state, 'ledger.db'), join(place.home, 'backup'));
  expect((await run(place, send(2))).code).toBe(0);
  return place;
}

function run({ home, env }: rig.Place, words: readonly string[]): Promise<Ran> {
  return cli(words, { home, env });
}

/** A process that was killed may have left a journal, which belongs to the other file. */
function restore({ home, state }: rig.Place): void {
  rmSync(join(state, 'ledger.db-journal'), { force: true });
  copyFileSync(join(home, 'backup'), join(state, 'ledger.db'));
}

/** The exit code and the error of a command, and how many requests it made. */
async function ending(place: rig.Place, words: readonly string[]) {
  const before = place.service.asked.length;
  const { code, stderr } = await run(place, words);
  return { code, error: errorIn(stderr), requests: place.service.asked.length - before };
}

const hint = expect.stringContaining('bizmsg doctor --accept-loss');
const refused = { code: 11, error: { code: 'ledger-older', hint }, requests: 0 };

describe('a record that is older than what was sent', () => {
  it.each([
    ['restored', restore],
    ['missing altogether', ({ state }: rig.Place) => rmSync(join(state, 'ledger.db'))],
  ])('stops a message until the loss is accepted, if it is %s', async (_, lose) => {
    const place = await begun();
    lose(place);
    expect(await ending(place, send(2))).toMatchObject(refused);
    expect(await ending(place, send(3))).toMatchObject(refused);
    expect(await ending(place, ['doctor', '--accept-loss', '-o', 'json'])).toMatchObject({
      code: 11,
      error: { code: 'not-confirmed' },
    });
    expect((await run(place, ['doctor', '--accept-loss', '--yes'])).code).toBe(0);
    expect([(await run(place, send(2))).code, place.service.asked.length]).toEqual([0, 3]);
    expect((await run(place, send(2))).stderr).toContain('the same message was sent');
  });

  it('stops a batch that was killed, restored to an earlier row', async () => {
    const place = await rig.newPlace();
    const batch = rig.batch(rig.writePeople(place, 80));
    expect((await run(place, [...batch, '--first', '40'])).code).toBe(0);
    copyFileSync(join(place.state, 'ledger.db'), join(place.home, 'backup'));
    const running = place.start(batch);
    await rig.untilAsked(place, 70, running);
    await rig.killed(running);
    restore(place);
    // Requests of the killed process may still arrive.
    const { requests: _, ...refusal } = refused;
    expect(await ending(place, batch)).toMatchObject(refusal);
    expect(await ending(place, rig.resume())).toMatchObject(refusal);
    const phones = place.service.asked.map(({ phone }) => phone);
    expect(new Set(phones).size).toBe(phones.length);
  });

  it('is a problem for doctor, which changes nothing', async () => {
    const place = await begun();
    rmSync(join(place.state, 'ledger.db'));
    const { code, stdout } = await run(place, ['doctor']);
    expect([code, stdout]).toEqual([11, expect.stringContaining('is older than it was')]);
    expect(await ending(place, send(2))).toMatchObject(refused);
  });
});
