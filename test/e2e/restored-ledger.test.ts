import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, type Ran } from '../support/cli.ts';
import { errorIn } from '../support/json-lines.ts';
import * as rig from './runs-rig.ts';
import type { Place } from './runs-rig.ts';

const single = ['send-template', rig.phoneOf(20), 'welcome', '-p', 'Ada', '--yes', '-o', 'json'];
const more = ['--job', 'welcome', '--concurrency', '1'];

/** A place where two of ten rows were sent, the command for the others, and a backup of the ledger. */
async function begun() {
  const place = await rig.newPlace();
  const batch = rig.batch(rig.writePeople(place, 10), ...more);
  expect((await run(place, [...batch, '--first', '2'])).code).toBe(0);
  copyFileSync(join(place.state, 'old-ledger.db'), join(place.home, 'backup'));
  return { place, batch };
}

function run({ home, env }: Place, words: readonly string[]): Promise<Ran> {
  return cli(words, { home, env });
}

/** A process that was killed may have left a journal, which belongs to the other file. */
function restore({ home, state }: Place): void {
  rmSync(join(state, 'old-ledger.db-journal'), { force: true });
  copyFileSync(join(home, 'backup'), join(state, 'old-ledger.db'));
}

/** The exit code and the error of a command, and how many requests it made. */
async function ending(place: Place, words: readonly string[]) {
  const before = place.service.asked.length;
  const { code, stderr } = await run(place, words);
  return { code, error: errorIn(stderr), requests: place.service.asked.length - before };
}

const hint = expect.stringContaining('--accept-loss');
const refused = { code: 11, error: { code: 'ledger-older', hint }, requests: 0 };

describe('with a live key, a ledger that is older than what was sent', () => {
  it('stops a batch until the loss is accepted', async () => {
    const { place, batch } = await begun();
    expect((await run(place, batch)).code).toBe(0);
    restore(place);
    expect(await ending(place, batch)).toMatchObject(refused);
    expect(await ending(place, batch)).toMatchObject(refused);
    const accepted = await run(place, [...batch, '--accept-loss']);
    expect([accepted.code, place.service.asked.length]).toEqual([0, 18]);
    expect([(await run(place, batch)).code, place.service.asked.length]).toEqual([0, 18]);
  });

  it('stops a single message until the loss is accepted', async () => {
    const { place } = await begun();
    expect((await run(place, single)).code).toBe(0);
    restore(place);
    expect(await ending(place, single)).toMatchObject(refused);
    expect((await run(place, [...single, '--accept-loss'])).code).toBe(0);
    expect((await run(place, single)).stderr).toContain('the same message was sent');
  });

  it('is noticed after kill -9', async () => {
    const { place, batch } = await begun();
    const running = place.start(batch);
    await rig.untilAsked(place, 4, running);
    await rig.killed(running);
    restore(place);
    expect(await ending(place, batch)).toMatchObject(refused);
  });

  it('may be missing altogether', async () => {
    const { place, batch } = await begun();
    rmSync(join(place.state, 'old-ledger.db'));
    expect(await ending(place, batch)).toMatchObject(refused);
  });

  it('is not noticed without the logs, which are no reason to stop', async () => {
    const { place, batch } = await begun();
    rmSync(join(place.state, 'logs.db'));
    expect((await run(place, batch)).code).toBe(0);
  });
});
