import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const [ada, bo] = ['+12025550141', '+12025550142'];

const importing = async (text: string, ...words: readonly string[]) => {
  const ran = await world.run(['contacts', 'import', world.write('people.csv', text), ...words, '-o', 'json']);
  return { ...ran, result: JSON.parse(ran.stdout === '' ? '{}' : ran.stdout) };
};
/** Besides those that a sandbox begins with. */
const created = () => world.sandbox.contacts().slice(5);

it('creates a contact for every row', async () => {
  const path = world.write('people.csv', `phone,name\n${ada},Ada\n${bo},\n`);
  const { code, stdout } = await world.run(['contacts', 'import', path]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^Batch people \(simulated\): 2 of 2 are contacts, [\d.]+ m?s\n$/),
  ]);
  expect(created()).toMatchObject([
    { phone: ada, name: 'Ada' },
    { phone: bo, name: undefined },
  ]);
});

it('maps, keeps, sets, converts and chooses', async () => {
  const text = 'Mobile,Full Name,tags,note\n(202) 555-0141,Ada,a;b,x\n(202) 555-0142,Bo,,y\n';
  const map = ['--map', 'Mobile=phone', '--map', 'Full Name=name', '--keep', 'tags', '--type', 'tags=list:semicolon'];
  const more = ['--set', 'attributes.source=crm', '--country', 'US', '--where', 'note=x'];
  const { code, result } = await importing(text, ...map, ...more);
  expect([code, result.not_sent]).toEqual([0, 1]);
  const contact = { phone: ada, name: 'Ada', tags: ['a', 'b'], attributes: { source: 'crm' } };
  expect(created()).toEqual([expect.objectContaining(contact)]);
});

it('tells once that a contact has changed in the file', async () => {
  await importing(`phone,name\n${ada},Ada\n`);
  const changed = () => importing(`phone,name\n${ada},Augusta\n`);
  expect([(await changed()).code, (await changed()).code]).toEqual([10, 0]);
  const { stdout } = await world.run(['contacts', 'import', join(world.home, 'people.csv')]);
  expect(stdout).toContain('     1 changed   in the file since they were imported: the API cannot change contacts\n');
});

describe('a dry run', () => {
  it('shows the first bodies and why rows cannot be sent, and sends nothing', async () => {
    const text = `phone,id\n${ada},7\n${ada},7\n${bo},x\n12025550142,9\n`;
    const path = world.write('people.csv', text);
    const { code, stdout } = await world.run(['contacts', 'import', path, '--type', 'id=number', '--dry-run']);
    expect([code, world.sandbox.requests()]).toEqual([0, []]);
    expect(stdout.replace(world.home, '')).toBe(
      [
        'Batch people (new) · /people.csv, 4 rows',
        '',
        '     1 to import',
        '     2 failed    1 id: "x" is not a number (line 4) · 1 phone: "12025550142" is not a phone number; --country intl reads it as +12025550142 (line 5)',
        '     1 not sent  listed twice (line 3)',
        '',
        `{"phone":"${ada}","id":7}`,
        '',
      ].join('\n'),
    );
  });

  it('fits on a screen, whatever the number of bad rows', async () => {
    const bad = Array.from({ length: 3_000 }, (_, at) => `0151${10_000_000 + at},Ada\n`).join('');
    const words = ['contacts', 'import', world.write('people.csv', `phone,name\n${bad}x,Cy\n${ada},Ed\n`), '--dry-run'];
    const { stdout } = await world.run(words, { terminal: 80 });
    expect(stdout.split('\n').length).toBeLessThanOrEqual(12);
    expect(stdout).toContain(' 3,001 failed    3,000 phone: "015110000000" is not a phone number; --country\n');
    expect(stdout).toContain('(line 2), "015110000001" (line 3),\n');
    expect(stdout).toContain(' (line 4) and 2,997 more · ');
  });

  it.each([
    [498, [], '1 min at 270 a minute, the first 270 at once'],
    [700, [], '2 min at 270 a minute, the first 270 at once'],
    [60, ['--rate', '4/s'], '14 s at 4 a second'],
    [700, ['--rate', '50%'], '4 min at 150 a minute, the first 150 at once'],
  ])('of %i rows says how long they take by the plan: %j', async (rows, words, line) => {
    world.sandbox.setPlan({ name: 'growth', perMinute: undefined, perMonth: undefined, without: [] });
    const path = world.write(
      'people.csv',
      `phone\n${Array.from({ length: rows }, (_, at) => `+1202${5_550_101 + at}\n`).join('')}`,
    );
    const { stdout } = await world.run(['contacts', 'import', path, '--dry-run', ...words]);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(line);
  });
});
