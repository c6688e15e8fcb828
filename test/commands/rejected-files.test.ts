import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { callerOf } from '../support/fake-service.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const at = (name: string) => join(world.home, name);
const read = (name: string) => readFileSync(at(name), 'utf8');
const phonesIn = (name: string) => read(name).match(/^\+?\d+/gm);
const people = (...rows: readonly string[]) => writeFileSync(at('people.csv'), `phone,name\n${rows.join('\n')}\n`);
const files = () =>
  readdirSync(world.home)
    .filter((name) => name.startsWith('people.'))
    .sort();

async function importing(words: readonly string[] = [], env = world.env) {
  const argv = ['contacts', 'import', at('people.csv'), '--concurrency', '1', '-o', 'json', ...words];
  const { code, stdout, stderr } = await world.run(argv, { env });
  return { code, stderr, ...JSON.parse(stdout === '' ? '{}' : stdout) };
}

const [first, second, third] = ['+12025550141,Ada', '+12025550142,Bob', '+12025550143,Cleo'];
const [ada, bob, cleo] = ['+12025550141', '+12025550142', '+12025550143'];

/** A service that answers each phone with these statuses in order, and then accepts it. */
async function answering(answers: Readonly<Record<string, readonly number[]>>) {
  const left = new Map(Object.entries(answers).map(([phone, statuses]) => [phone, [...statuses]]));
  const service = await serve(({ body }, _, response) => {
    const status = left.get(String(JSON.parse(body).phone))?.shift() ?? 201;
    response.writeHead(status).end(JSON.stringify({ id: 'c', message: 'no' }));
  });
  return callerOf(service.url);
}

/** Ends a command with its first two rows sent, so that the run stays unfinished. */
const part = (env = world.env) => importing(['--first', '2'], env);

describe('the file of failed rows', () => {
  it('has the rows in the order of the input, with reason and original line, readable only by this user', async () => {
    people(first, '12,Bob', 'broken', third, '13,Di');
    const { code, failed, files: written } = await importing();
    expect([code, failed, written]).toEqual([10, 3, { failed: at('people.failed.csv'), unsure: null }]);
    expect(read('people.failed.csv')).toMatch(
      /^phone,name,bizmsg_error\n12,Bob,[^\n]*\(line 3\)[^\n]*\nbroken,,[^\n]*\(line 4\)[^\n]*\n13,Di,[^\n]*\(line 6\)[^\n]*\n$/,
    );
    expect(modeOf(at('people.failed.csv'))).toBe(ownFile);
  });

  it('is replaced by a later command of the same run', async () => {
    const env = await answering({ [ada]: [400, 400], [cleo]: [400] });
    people(first, second, third);
    expect((await part(env)).files.failed).toBe(at('people.failed.csv'));
    expect(phonesIn('people.failed.csv')).toEqual([ada]);
    expect((await importing([], env)).files.failed).toBe(at('people.failed.csv'));
    expect([phonesIn('people.failed.csv'), files()]).toEqual([
      [ada, cleo],
      ['people.csv', 'people.failed.csv'],
    ]);
  });

  it('is renamed once all its rows are done, which is reported', async () => {
    const env = await answering({ [ada]: [400] });
    people(first, second, third);
    await part(env);
    const ran = await importing([], env);
    expect(ran).toMatchObject({ code: 0, files: { failed: null } });
    expect([ran.stderr, files()]).toEqual([
      expect.stringMatching(
        /none of the rows in \S+people\.failed\.csv has failed any more; it is now \S+people\.failed\.done\.csv/,
      ),
      ['people.csv', 'people.failed.done.csv'],
    ]);
    expect(phonesIn('people.failed.done.csv')).toEqual([ada]);
  });

  it('is renamed beside the files of earlier runs that were renamed', async () => {
    for (const words of [[], ['--again']]) {
      const env = await answering({ [ada]: [400] });
      people(first, second, third);
      await importing([...words, '--first', '2'], env);
      await importing([], env);
    }
    expect(files()).toEqual(['people.csv', 'people.failed.done.2.csv', 'people.failed.done.csv']);
  });

  it('is kept if it was edited; the rows go to a second file', async () => {
    const env = await answering({ [ada]: [400, 400] });
    people(first, second, third);
    await part(env);
    appendFileSync(at('people.failed.csv'), '+12025550149,Mine,\n');
    const changed = read('people.failed.csv');
    const ran = await importing([], env);
    expect([ran.files.failed, read('people.failed.csv')]).toEqual([at('people.failed.2.csv'), changed]);
    expect(phonesIn('people.failed.2.csv')).toEqual([ada]);
    expect(ran.stderr).toContain('already exists and was kept');
  });

  it('is kept if it was edited, even if all its rows are done', async () => {
    const env = await answering({ [ada]: [400] });
    people(first, second, third);
    await part(env);
    writeFileSync(at('people.failed.csv'), 'phone,name\n+12025550149,Mine\n');
    const ran = await importing([], env);
    expect([ran.code, phonesIn('people.failed.csv')]).toEqual([0, ['+12025550149']]);
    expect(ran.stderr).not.toContain('none of the rows');
  });

  it('never replaces a file of another run or of the user', async () => {
    writeFileSync(at('people.failed.csv'), 'mine');
    people('12,Ada');
    const one = await importing();
    const other = await importing(['--again']);
    expect([one.files.failed, other.files.failed]).toEqual([at('people.failed.2.csv'), at('people.failed.3.csv')]);
    expect(read('people.failed.csv')).toBe('mine');
    expect(one.stderr).toContain('already exists and was kept');
  });

  it('gets another name if a folder has this name', async () => {
    mkdirSync(at('people.failed.csv'));
    people('12,Ada');
    const { code, files: written } = await importing();
    expect([code, written.failed]).toEqual([10, at('people.failed.2.csv')]);
  });

  it('is missing, with a note, if the folder of the input is gone', async () => {
    const service = await serve((_, __, response) => {
      rmSync(at('people.csv'), { force: true });
      response.writeHead(400).end('{}');
    });
    people(first, second);
    const ran = await importing([], callerOf(service.url));
    expect(ran).toMatchObject({ code: 10, failed: 2, files: { failed: null } });
    expect(ran.stderr).toMatch(/could not be written to a file: .*; see bizmsg runs show [0-9a-f]{10}/);
  });

  it('can be fixed and imported', async () => {
    people(first, '12,Bob');
    await importing();
    writeFileSync(at('people.failed.csv'), read('people.failed.csv').replace('12,Bob', second));
    const argv = ['contacts', 'import', at('people.failed.csv'), '-o', 'json'];
    const { code, stdout } = await world.run(argv);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { rows: 1, sent: 1 }]);
    expect(
      world.sandbox
        .contacts()
        .slice(5)
        .map(({ phone }) => phone),
    ).toEqual([ada, bob]);
  });
});

describe('a file of failed rows that is imported itself', () => {
  it.each([
    ['is renamed', '', 'people.failed.done.csv'],
    ['is kept if it was edited', '+12025550149,Mine,\n', 'people.failed.csv'],
  ])('%s once all its rows are sent, which is reported', async (_, more, left) => {
    const env = await answering({ [ada]: [400], [bob]: [400] });
    people(first, second, third);
    await importing([], env);
    appendFileSync(at('people.failed.csv'), more);
    const argv = ['contacts', 'import', at('people.failed.csv'), '-o', 'json'];
    const { code, stderr } = await world.run(argv, { env });
    expect([code, files()]).toEqual([0, ['people.csv', left]]);
    const renamed = /all rows of \S+people\.failed\.csv are sent; it is now \S+people\.failed\.done\.csv/;
    expect(stderr).toMatch(more === '' ? renamed : /people\.failed\.csv is not needed any more: all its rows are sent/);
  });

  it('is kept while one of its rows fails again', async () => {
    const env = await answering({ [ada]: [400, 400], [bob]: [400] });
    people(first, second, third);
    await importing([], env);
    const { code } = await world.run(['contacts', 'import', at('people.failed.csv'), '-o', 'json'], { env });
    expect([code, files()]).toEqual([10, ['people.csv', 'people.failed.csv', 'people.failed.failed.csv']]);
    expect(phonesIn('people.failed.failed.csv')).toEqual([ada]);
  });
});

describe('failed rows that were removed from the input stay in the file', () => {
  it('if no other row failed since', async () => {
    const env = await answering({ [ada]: [400] });
    people(first, second, third);
    await part(env);
    const before = read('people.failed.csv');
    people(second, third);
    const ran = await importing([], env);
    expect(ran).toMatchObject({ code: 0, continues: true, failed: 0, files: { failed: null } });
    expect([read('people.failed.csv'), files()]).toEqual([before, ['people.csv', 'people.failed.csv']]);
  });

  it('and rows that failed since are in a second file', async () => {
    const env = await answering({ [ada]: [400], [cleo]: [400] });
    people(first, second, third);
    await part(env);
    const before = read('people.failed.csv');
    people(second, third);
    const ran = await importing([], env);
    expect(ran).toMatchObject({ rows: 2, sent: 0, failed: 1, files: { failed: at('people.failed.2.csv') } });
    expect([read('people.failed.csv'), phonesIn('people.failed.2.csv')]).toEqual([before, [cleo]]);
  });
});
