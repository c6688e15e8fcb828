import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
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
const people = (...rows: readonly string[]) => writeFileSync(at('n.csv'), `phone,name\n${rows.join('\n')}\n`);
const phonesIn = (name: string) => readFileSync(at(name), 'utf8').match(/^\+?\d+/gm);
const files = () => readdirSync(world.home).filter((name) => name.startsWith('n.'));
const [first, second, third, fourth] = ['+12025550141,Ada', '+12025550142,Bob', '+12025550143,Cleo', '+12025550144,Di'];

/** Refuses these until they are taken out. */
async function refusing(...phones: readonly string[]) {
  const refused = new Set(phones);
  const service = await serve(({ body }, _, response) => {
    const isRefused = refused.has(String(JSON.parse(body).phone));
    response.writeHead(isRefused ? 400 : 201).end(JSON.stringify({ id: 'c', message: 'no' }));
  });
  return { refused, env: callerOf(service.url) };
}

async function importing(env: World['env'], ...words: readonly string[]) {
  const argv = ['contacts', 'import', at('n.csv'), '--concurrency', '1', '-o', 'json', '--resume', ...words];
  const { code, stdout, stderr } = await world.run(argv, { env });
  return { code, stderr, ...JSON.parse(stdout === '' ? '{}' : stdout) };
}

describe('the file of failed rows of an earlier run of the same input', () => {
  it('is written anew night after night, and goes when its row is done', async () => {
    const { env, refused } = await refusing('+12025550142');
    people(first, second);
    await importing(env);
    people(first, second, third);
    const ran = await importing(env);
    expect([ran.failed_file, phonesIn('n.failed.csv'), files()]).toEqual([
      at('n.failed.csv'),
      ['+12025550142'],
      ['n.csv', 'n.failed.csv'],
    ]);
    refused.clear();
    people(first, second, third, fourth);
    const last = await importing(env);
    expect([last.code, last.stderr, files()]).toEqual([
      0,
      expect.stringContaining('n.failed.csv is removed: none of its rows has failed any more'),
      ['n.csv'],
    ]);
  });

  it('goes when a run with other flags has done its rows', async () => {
    const { env, refused } = await refusing('+12025550142');
    people(first, second);
    await importing(env);
    refused.clear();
    expect(await importing(env, '--set', 'tags=a')).toMatchObject({ code: 0 });
    expect(files()).toEqual(['n.csv']);
  });

  it('is left and named where a run with other flags has failed at its rows too', async () => {
    const { env } = await refusing('+12025550142');
    people(first, second);
    const { run } = await importing(env);
    const { stderr, failed_file } = await importing(env, '--set', 'tags=a');
    expect([failed_file, files().length]).toEqual([at('n.failed.2.csv'), 3]);
    expect(stderr).toContain(`n.failed.csv is of run ${run}, and none of its rows is done since`);
  });

  it('is left and named where one of its rows is nowhere else', async () => {
    const { env, refused } = await refusing('+12025550141', '+12025550142');
    people(first, second);
    const { run } = await importing(env);
    refused.clear();
    people(first, third);
    const { stderr } = await importing(env);
    const named = `n.failed.csv is of run ${run}, and 1 of its rows is done since: remove it, or mend and send what is left`;
    expect([stderr, phonesIn('n.failed.csv')?.length]).toEqual([expect.stringContaining(named), 2]);
  });

  it('is left as it is where somebody has changed it', async () => {
    const { env, refused } = await refusing('+12025550142');
    people(first, second);
    await importing(env);
    appendFileSync(at('n.failed.csv'), '+12025550149,Mine,\n');
    refused.clear();
    people(first, second, third);
    await importing(env);
    expect(phonesIn('n.failed.csv')).toEqual(['+12025550142', '+12025550149']);
  });

  it('stays beside a run that is told once more, which was before it', async () => {
    const { env, refused } = await refusing();
    people(first, second);
    await importing(env);
    refused.add('+12025550142');
    people(first, second, third);
    await importing(env);
    people(first, second);
    await importing(env);
    expect(existsSync(at('n.failed.csv'))).toBe(true);
  });
});
