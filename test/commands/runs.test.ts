import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function run(text: string, ...words: readonly string[]): Promise<string> {
  const file = join(world.home, 'people.csv');
  writeFileSync(file, text);
  const { stdout } = await world.run(['contacts', 'import', file, '-o', 'json', ...words]);
  return JSON.parse(stdout).run;
}

const folderOf = (id: string) => join(world.home, '.local/state/bizmsg/runs', id);
const three = 'phone\n+12025550141\n12\n13\n';

describe('runs', () => {
  it('are none at first', async () => {
    const { code, stdout } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect([code, stdout]).toEqual([0, '[]\n']);
  });

  it('are listed with how far they came, and need no key for it', async () => {
    const stopped = await run(three, '--max-errors', '1', '--concurrency', '1');
    const finished = await run(three, '--allow-repeat', '--set', 'name=Ada');
    const { stdout } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    const runs: readonly { readonly id: string }[] = JSON.parse(stdout);
    expect(runs.find(({ id }) => id === stopped)).toMatchObject({ state: 'unfinished', done: 1, failed: 1, unsent: 1 });
    expect(runs.find(({ id }) => id === finished)).toMatchObject({ state: 'finished', done: 1, failed: 2, unsent: 0 });
  });

  it('are shown with each row that was not done, and what was typed', async () => {
    const id = await run(three);
    const { code, stdout } = await world.run(['runs', 'show', id, '-o', 'table'], { env: {} });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`id: ${id}\nstate: finished\nkind: import\n`)]);
    expect(stdout).toMatch(/\nline 3: failed: the service answered 400 [^\n]*\nline 4: failed: [^\n]*\n$/);
    expect(stdout).toContain('\ntyped: bizmsg contacts import ');
    expect(stdout).not.toContain('stopped:');
  });

  it('are shown as one object in JSON', async () => {
    const id = await run(three);
    const shown = JSON.parse((await world.run(['runs', 'show', id, '-o', 'json'], { env: {} })).stdout);
    expect(shown).toMatchObject({
      id,
      failed: 2,
      stopped: null,
      not_done: [{ line: 3, outcome: 'failed' }, { line: 4 }],
    });
  });

  it('that are finished are forgotten at once, and can then be repeated', async () => {
    const id = await run('phone\n+12025550141\n');
    const { code, stdout } = await world.run(['runs', 'forget', id], { env: {} });
    expect([code, stdout, existsSync(folderOf(id))]).toEqual([0, `Forgot the run ${id}\n`, false]);
    expect(await run('phone\n+12025550141\n')).toBe(id);
  });

  it('that are not finished are forgotten only by --yes where nobody can be asked', async () => {
    const id = await run(three, '--max-errors', '1', '--concurrency', '1');
    const refused = await world.run(['runs', 'forget', id], { env: {} });
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('of which 1 rows were not sent')]);
    expect((await world.run(['runs', 'forget', id, '--yes'], { env: {} })).code).toBe(0);
    expect(readdirSync(join(folderOf(id), '..'))).toEqual([]);
  });

  it('that are damaged hide no other, and can be forgotten', async () => {
    const [bad, good] = [await run(three), await run('phone\n+12025550142\n')];
    writeFileSync(join(folderOf(bad), 'journal.ndjson'), 'x\n'.repeat(9));
    const { code, stdout } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect([code, stdout.includes('"state":"damaged"'), stdout.includes(good)]).toEqual([0, true, true]);
    const refused = await world.run(['runs', 'forget', bad], { env: {} });
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('of which nobody knows what it sent')]);
    expect((await world.run(['runs', 'forget', bad, '--yes'], { env: {} })).code).toBe(0);
  });

  it('that cannot be read are not said to be none', async () => {
    writeFileSync(join(world.home, '.local/state/bizmsg/runs'), '');
    const { code, stdout, stderr } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('"code":"state-unreadable"')]);
  });

  it.each(['show', 'forget'])('%s refuses one that is not there', async (word) => {
    const { code, stdout, stderr } = await world.run(['runs', word, '0123456789'], { env: {} });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('there is no run "0123456789"')]);
  });
});
