import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
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
const people = (...rows: readonly string[]) => writeFileSync(at('people.csv'), `phone,name\n${rows.join('\n')}\n`);
const files = () => readdirSync(world.home).filter((name) => name.startsWith('people.'));
const [first, second, third] = ['+12025550141,Ada', '+12025550142,Bob', '+12025550143,Cleo'];

/** Answers each recipient with these, one after the other, and then with 201. */
async function answering(answers: Readonly<Record<string, readonly (readonly [number, string?])[]>>) {
  const counts = new Map<string, number>();
  const service = await serve(({ body }, _, response) => {
    const phone = String(JSON.parse(body).phone);
    const count = counts.get(phone) ?? 0;
    counts.set(phone, count + 1);
    const [status, message = ''] = answers[phone]?.[count] ?? [201];
    response.writeHead(status).end(JSON.stringify({ id: 'c', message }));
  });
  return callerOf(service.url);
}

async function importing(words: readonly string[], env = world.env) {
  const argv = ['contacts', 'import', at('people.csv'), '--concurrency', '1', '-o', 'json', ...words];
  const { code, stdout, stderr } = await world.run(argv, { env });
  return { code, stderr, ...JSON.parse(stdout === '' ? '{}' : stdout) };
}

/** One row is not like the header. */
describe('rows that were taken out of the input stay in the file of failed rows', () => {
  it('when the run goes on with the rest, and what fails then is in another one', async () => {
    people(first, 'broken', second, '12,Cleo');
    await importing(['--max-errors', '1']);
    const before = read('people.failed.csv');
    people(first, second, '12,Cleo');
    const ran = await importing(['--resume']);
    expect([ran.code, read('people.failed.csv')]).toEqual([10, before]);
    expect(ran).toMatchObject({ rows: 3, done: 2, failed: 1, failed_file: at('people.failed.2.csv') });
    expect(phonesIn('people.failed.2.csv')).toEqual(['12']);
    expect(ran.stderr).toContain('people.failed.csv is kept: its rows are not in people.csv any more');
  });

  it('when they were the last ones, which the numbers do not have any more either', async () => {
    people(first, 'broken', 'broken too', second);
    await importing(['--max-errors', '2']);
    people(first);
    const ran = await importing(['--resume']);
    expect(ran).toMatchObject({ code: 0, rows: 1, done: 1, failed: 0, unsent: 0, failed_file: null, reasons: [] });
    expect([read('people.failed.csv').match(/broken/g), files()]).toMatchObject([
      { length: 2 },
      ['people.csv', 'people.failed.csv'],
    ]);
  });

  it('when another bad row has their place, which is told with its own reason', async () => {
    people(first, 'broken', '12,Bob', second);
    await importing(['--max-errors', '1']);
    people(first, '1,2,3', '12,Bob', second);
    const ran = await importing(['--resume']);
    expect(ran).toMatchObject({ rows: 4, done: 2, failed: 2, failed_file: at('people.failed.2.csv') });
    expect(read('people.failed.csv')).toContain('\nbroken,');
    expect(read('people.failed.2.csv')).toMatch(/\n"1,2,3",,[^\n]*3 [^\n]*\n12,Bob,/);
  });

  it('when it begins anew, and those that it has failed in another one', async () => {
    people('12,Ada', '13,Bob', first);
    await importing(['--max-errors', '2']);
    const before = read('people.failed.csv');
    people('13,Bob', first);
    const ran = await importing(['--restart']);
    expect(ran).toMatchObject({ rows: 2, done: 1, failed: 1, failed_file: at('people.failed.2.csv') });
    expect([read('people.failed.csv'), phonesIn('people.failed.2.csv')]).toEqual([before, ['13']]);
    expect(ran.stderr).toContain('people.failed.csv is kept: 1 of its 2 rows is not in people.csv any more');
  });
});

describe('the file of failed rows of a run that was begun anew', () => {
  const twoFail = { '+12025550141': [[400]], '+12025550142': [[400], [400]] } as const;

  it('goes once all of its rows are done, or stand in the new one', async () => {
    people(first, second, third);
    const env = await answering(twoFail);
    await importing(['--max-errors', '2'], env);
    expect(phonesIn('people.failed.csv')).toEqual(['+12025550141', '+12025550142']);
    const ran = await importing(['--restart'], env);
    expect([ran.failed_file, phonesIn('people.failed.csv'), files().length]).toEqual([
      at('people.failed.csv'),
      ['+12025550142'],
      2,
    ]);
  });

  it('stays while one of them is not sent yet, and goes with it', async () => {
    people(first, second, third);
    const env = await answering({ ...twoFail, '+12025550141': [[400], [401]] });
    await importing(['--max-errors', '2'], env);
    const stopped = await importing(['--restart'], env);
    expect([stopped.code, phonesIn('people.failed.csv')]).toEqual([4, ['+12025550141', '+12025550142']]);
    const ran = await importing(['--resume'], env);
    expect([ran.failed, phonesIn('people.failed.csv'), files().length]).toEqual([1, ['+12025550142'], 2]);
  });

  it('goes where its rows are unsure by now, and in the file of those', async () => {
    people(first, second);
    const env = await answering({ '+12025550141': [[400], [500]] });
    await importing(['--max-errors', '1'], env);
    await importing(['--restart'], env);
    expect([phonesIn('people.unsure.csv'), files()]).toEqual([['+12025550141'], ['people.csv', 'people.unsure.csv']]);
  });
});

describe('an unsure row', () => {
  it('that is sent again and then refused stays unsure', async () => {
    people(first, second);
    const env = await answering({ '+12025550141': [[500], [409, 'exists']] });
    await importing([], env);
    const ran = await importing(['--resume', '--allow-unsure'], env);
    expect(ran).toMatchObject({
      code: 10,
      failed: 0,
      unsure: 1,
      failed_file: null,
      unsure_file: at('people.unsure.csv'),
    });
    expect([phonesIn('people.unsure.csv'), files()]).toEqual([['+12025550141'], ['people.csv', 'people.unsure.csv']]);
    expect(read('people.unsure.csv')).toMatch(
      /it may have been done before; sent again, the service answered 409.*exists/,
    );
  });

  it('is told with the line on which it is sent again, wherever it is by now', async () => {
    people(first, second, third);
    const env = await answering({ '+12025550142': [[500]] });
    await importing(['--max-errors', '1'], env);
    people('+12025550149,New', first, second, third);
    const { stderr } = await importing(['--restart'], env);
    expect(stderr).toContain('its unsure rows are sent again: line 4');
  });

  it('is not said to be sent again where it is not there any more, and stays in its file', async () => {
    people(first, second, third);
    const env = await answering({ '+12025550142': [[500]] });
    await importing(['--max-errors', '1'], env);
    people(first, third);
    const { stderr } = await importing(['--restart'], env);
    expect(stderr).not.toContain('its unsure rows are sent again');
    expect(stderr).toContain(
      '1 of its unsure rows is not there any more, and is not sent again: line 3 of what it was',
    );
    expect(phonesIn('people.unsure.csv')).toEqual(['+12025550142']);
  });
});

it('a file of failed rows that was changed is not said to hold what has failed no more', async () => {
  people(first, 'broken', second);
  await importing(['--max-errors', '1']);
  writeFileSync(at('people.failed.csv'), 'phone,name\n+12025550150,Mended\n');
  people(first);
  const { stderr } = await importing(['--resume']);
  expect(stderr).toContain('people.failed.csv is not as it was written and is left so');
  expect(stderr).not.toContain('none of its rows');
});
