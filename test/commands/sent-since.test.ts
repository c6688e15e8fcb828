import { appendFileSync, existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const at = (name: string) => join(world.home, name);
const write = (...phones: readonly string[]) => writeFileSync(at('a.csv'), ['to', ...phones, ''].join('\n'));
const batch = (name: string, ...words: readonly string[]) =>
  world.run(['send-batch', 'welcome', at(name), '--concurrency', '1', ...words, '-o', 'json']);
const sent = () => world.sandbox.messages().map(({ to }) => to);
const answer = (status: number, times: number) =>
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'status', status }, times });

const [ada, alan, grace] = ['+12025550141', '+12025550142', '+12025550144'];

/** The first two fail. */
async function failed() {
  answer(400, 2);
  write(ada, alan, grace);
  return batch('a.csv');
}

describe('a file of failed rows', () => {
  it('is sent', async () => {
    await failed();
    expect([(await batch('a.failed.csv')).code, sent()]).toEqual([0, [grace, ada, alan]]);
  });

  it.each([
    ['as it was written', 'a.failed.csv', 2, () => {}],
    ['mended', 'a.failed.csv', 3, () => appendFileSync(at('a.failed.csv'), '+12025550149,\n')],
    ['by another name', 'b.csv', 2, () => renameSync(at('a.failed.csv'), at('b.csv'))],
  ])('of which a row was done since by a run of the same input is refused, %s', async (_, name, count, change) => {
    await failed();
    write(alan, grace);
    const { run } = JSON.parse((await batch('a.csv', '--allow-repeat')).stdout);
    change();
    const before = sent();
    const { code, stderr } = await batch(name);
    const message = `1 of these ${count} messages was sent by run ${run} on `;
    expect([code, sent(), stderr]).toEqual([11, before, expect.stringContaining(message)]);
    expect((await batch(name, '--dry-run')).code).toBe(11);
    expect((await batch(name, '--allow-repeat')).code).toBe(0);
  });

  it('goes when a batch with a row more has done its rows, so that nobody sends them again', async () => {
    await failed();
    write(ada, alan, grace, '+12025550149');
    const { code, stderr } = await batch('a.csv', '--allow-repeat');
    expect([code, existsSync(at('a.failed.csv'))]).toEqual([0, false]);
    expect(stderr).toContain('a.failed.csv is removed: none of its rows has failed any more');
  });

  it('that was sent is not said to hold what was not', async () => {
    await failed();
    write(ada, alan, grace, '+12025550149');
    expect((await batch('a.csv')).stderr).toContain('a.failed.csv holds');
    await batch('a.failed.csv');
    const { code, stderr } = await batch('a.csv');
    expect([code, stderr]).toEqual([11, expect.not.stringContaining('a.failed.csv')]);
  });

  it('of an import is told of, and sent', async () => {
    const write = (...phones: readonly string[]) => writeFileSync(at('a.csv'), ['phone', ...phones, ''].join('\n'));
    const imported = (name: string) => world.run(['contacts', 'import', at(name), '--resume', '-o', 'json']);
    world.sandbox.faults.add({ on: ['createContact'], effect: { kind: 'status', status: 400 }, times: 2 });
    write(ada, alan);
    await imported('a.csv');
    write(alan, grace);
    const { run } = JSON.parse((await imported('a.csv')).stdout);
    const { code, stderr } = await imported('a.failed.csv');
    expect([code, stderr]).toEqual([0, expect.stringContaining(`1 of these rows was sent before by run ${run}`)]);
  });
});

describe('a file of unsure rows', () => {
  async function unsure() {
    answer(500, 2);
    write(ada, alan, grace);
    return JSON.parse((await batch('a.csv')).stdout).run;
  }

  it('is refused', async () => {
    const run = await unsure();
    const { code, stderr } = await batch('a.unsure.csv');
    const message = `2 of these 2 messages may have been sent by run ${run} on `;
    expect([code, sent(), stderr]).toEqual([11, [grace], expect.stringContaining(message)]);
    expect(stderr).toContain('an unsure row is not sent again unless told');
  });

  it.each(['--allow-unsure', '--allow-repeat'])('is sent with %s', async (word) => {
    await unsure();
    expect([(await batch('a.unsure.csv', word)).code, sent()]).toEqual([0, [grace, ada, alan]]);
  });

  it('is refused with --allow-unsure where its rows were done since', async () => {
    await unsure();
    writeFileSync(at('a.unsure.csv'), `to\n${ada}\n`);
    await batch('a.csv', '--resume', '--allow-unsure');
    expect([(await batch('a.unsure.csv', '--allow-unsure')).code, sent()]).toEqual([11, [grace, ada, alan]]);
  });
});
