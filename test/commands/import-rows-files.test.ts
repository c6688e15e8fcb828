import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { callerOf } from '../support/hostile.ts';
import type { World } from '../support/world.ts';
import { openWorld } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const at = (name: string) => join(world.home, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const phonesIn = (name: string) => read(name).match(/^\+?\d+/gm);
const files = () =>
  readdirSync(world.home)
    .filter((name) => name.startsWith('people.'))
    .sort();

async function importing(...words: readonly string[]) {
  const argv = ['contacts', 'import', at('people.csv'), '--concurrency', '1', '-o', 'json', ...words];
  const { code, stdout, stderr } = await world.run(argv);
  return { code, stderr, ...JSON.parse(stdout === '' ? '{}' : stdout) };
}

/** Each part ends with one more row that failed. */
const part = (...words: readonly string[]) => importing('--resume', '--max-errors', '1', ...words);

describe('the file of failed rows', () => {
  beforeEach(() => writeFileSync(at('people.csv'), 'phone\n12\n13\n14\n+12025550141\n'));

  it('is written anew by a later part, as long as it is as it was written', async () => {
    await part();
    const { failed_file: file } = await part();
    expect([file, phonesIn('people.failed.csv'), files()]).toEqual([
      at('people.failed.csv'),
      ['12', '13'],
      ['people.csv', 'people.failed.csv'],
    ]);
  });

  it('is left as it is once somebody mends it; later rows, and no others, are beside it', async () => {
    await part();
    writeFileSync(at('people.failed.csv'), 'phone\n+12025550142\n');
    const second = await part();
    expect([second.failed_file, phonesIn('people.failed.2.csv')]).toEqual([at('people.failed.2.csv'), ['13']]);
    expect(second.stderr).toContain('is not as it was written and is left so');
    await part();
    expect([read('people.failed.csv'), phonesIn('people.failed.2.csv')]).toEqual([
      'phone\n+12025550142\n',
      ['13', '14'],
    ]);
  });

  it('lists nothing again that was mended where nothing failed since', async () => {
    writeFileSync(at('people.csv'), 'phone\n12\n+12025550141\n');
    await part();
    writeFileSync(at('people.failed.csv'), 'phone\n+12025550142\n');
    const { code, failed, failed_file: file } = await part();
    expect([code, failed, file, files()]).toEqual([10, 1, null, ['people.csv', 'people.failed.csv']]);
  });

  it('is known again after the input has changed', async () => {
    await part();
    writeFileSync(at('people.csv'), 'phone\n12\n13\n15\n+12025550141\n');
    await part();
    expect([phonesIn('people.failed.csv'), files()]).toEqual([
      ['12', '13'],
      ['people.csv', 'people.failed.csv'],
    ]);
  });

  it('lists all of a run that was begun anew', async () => {
    await part();
    writeFileSync(at('people.failed.csv'), 'mine');
    const { failed_file: file } = await importing('--restart');
    expect([file, read('people.failed.csv'), phonesIn('people.failed.2.csv')]).toEqual([
      at('people.failed.2.csv'),
      'mine',
      ['12', '13', '14'],
    ]);
  });

  it("is none that another command wrote, nor one of the user's own", async () => {
    writeFileSync(at('people.failed.csv'), 'mine');
    writeFileSync(at('people.failed.csv.new'), 'mine too');
    const one = await importing();
    const other = await importing('--set', 'name=Ada');
    expect([one.failed_file, other.failed_file]).toEqual([at('people.failed.2.csv'), at('people.failed.3.csv')]);
    expect([read('people.failed.csv'), read('people.failed.csv.new')]).toEqual(['mine', 'mine too']);
    expect(one.stderr).toContain('was there before and is left as it is');
  });

  it('has another name where a folder has this one', async () => {
    mkdirSync(at('people.failed.csv'));
    const { code, failed_file: file } = await importing();
    expect([code, file]).toEqual([10, at('people.failed.2.csv')]);
  });

  it('cannot be written where the input has gone, which takes nothing from the summary', async () => {
    const service = await serve((_, __, response) => {
      rmSync(at('people.csv'), { force: true });
      response.writeHead(400).end('{}');
    });
    const argv = ['contacts', 'import', at('people.csv'), '-o', 'json'];
    const { code, stdout, stderr } = await world.run(argv, { env: callerOf(service.url) });
    expect([code, JSON.parse(stdout)]).toMatchObject([10, { failed: 4, failed_file: null }]);
    expect(stderr).toMatch(/could not be written to a file: .*there is no such file; .*runs show [0-9a-f]{10}/);
  });
});

describe('the file of unsure rows', () => {
  beforeEach(async () => {
    writeFileSync(at('people.csv'), 'phone\n+12025550141\n+12025550142\n');
    world.sandbox.faults.add({ on: ['createContact'], effect: { kind: 'reset' }, after: true, times: 1 });
    await importing('--max-errors', '1');
  });

  it('goes once none of its rows is unsure', async () => {
    expect(phonesIn('people.unsure.csv')).toEqual(['+12025550141']);
    const { code, unsure, stderr } = await importing('--resume', '--allow-unsure');
    expect([code, unsure, files()]).toEqual([0, 0, ['people.csv']]);
    expect(stderr).toContain('people.unsure.csv is removed');
  });

  it('stays where it was changed since', async () => {
    writeFileSync(at('people.unsure.csv'), 'mine');
    const { stderr } = await importing('--resume', '--allow-unsure');
    expect(read('people.unsure.csv')).toBe('mine');
    expect(stderr).toContain('is left so, though none of its rows is unsure any more');
  });
});
