import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const people = 'Phone,Country,note\n+12025550141,DE,a=b\n+12025550142,AT,\n+12025550143,de,a=b\nnonsense,AT,\n';
const records = '[{"phone":"+12025550141","at":{"city":"Bonn"}},{"phone":"+12025550142","AT":{"city":"Ulm"},"n":7}]';

function write(text: string, name = text.startsWith('[') ? 'people.json' : 'people.csv'): string {
  const file = join(world.home, name);
  writeFileSync(file, text);
  return file;
}

const sending = (text: string, words: readonly string[]) =>
  world.run(['send-batch', 'welcome', write(text), ...words, '-o', 'json']);
const sent = () => world.sandbox.messages().map(({ to }) => to);

describe('--where', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    ['the column as the file spells it', ['Country=DE'], people, ['+12025550141']],
    ['the column in another case', ['country=de'], people, ['+12025550143']],
    ['several conditions', ['country=DE', 'note=a=b'], people, ['+12025550141']],
    ['an empty cell', ['note=', 'phone=+12025550142'], people, ['+12025550142']],
    ['a nested field of a record', ['at.city=Ulm'], records, ['+12025550142']],
    ['a number', ['n=7.0'], records, ['+12025550142']],
  ])('sends only the rows with this value: %s', async (_, conditions, text, expected) => {
    const { code, stdout } = await sending(
      text,
      conditions.flatMap((one) => ['--where', one]),
    );
    const { rows, sent: count, failed, skipped } = JSON.parse(stdout);
    expect([code, sent(), failed]).toEqual([0, expected, 0]);
    expect(skipped.where).toBe(rows - count);
  });

  it('does not take a row that it leaves out for a failed one, and says so in the dry run', async () => {
    const words = ['--where', 'country=DE', '--dry-run'];
    const { code, stdout } = await world.run(['send-batch', 'welcome', write(people), ...words, '-o', 'table']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('3 left out by --where\n')]);
  });

  it.each<[string, string, readonly string[], string]>([
    ['a column that does not exist', people, ['contry=DE'], 'did you mean \\"Country\\"?'],
    ['a field that no record has', records, ['citi=Bonn'], 'no record of the input has it'],
    ['two columns that differ only in case', 'phone,Tag,TAG\n+12025550141,x,y\n', ['tag=x'], 'has no such column'],
    ['a word without a value', people, ['country'], 'such as country=DE'],
  ])('refuses %s', async (_, text, conditions, says) => {
    const { code, stderr } = await sending(
      text,
      conditions.flatMap((one) => ['--where', one]),
    );
    expect([code, stderr, sent()]).toEqual([2, expect.stringContaining(says), []]);
  });

  it('imports only such rows, and lists the others as excluded', async () => {
    const file = write(people);
    const { stdout } = await world.run(['contacts', 'import', file, '--where', 'country=DE', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ sent: 1, failed: 0, skipped: { where: 3 } });
    const shown = await world.run(['runs', 'show', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toContainEqual(
      expect.objectContaining({ line: 3, reason: 'left out by --where' }),
    );
  });
});
