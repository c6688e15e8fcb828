import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/bulk/rows/source.ts';
import { fileOf, readText } from './rig.ts';

describe("a table's header", () => {
  it.each([
    ['phone,name,phone\n', '"phone" stands twice in the header of "people.csv" (line 1)'],
    ['a,b,a,b,a\n', '"a", "b" stand twice in the header'],
    ['\n\nphone, phone\n', '(line 3)'],
    ['phone,,name\n', 'column 2 has no name in the header'],
    ['phone,name,\n', 'column 3 has no name in the header'],
    ['phone,__proto__\n', '"__proto__" cannot be'],
    ['bizmsg_error\n', 'there is no column but "bizmsg_error"'],
    ['phone,na"me\n+1,Ada\n', 'the header of "people.csv" (line 1) cannot be read: a quote stands on line 1'],
    ['phone,"name\n+1,Ada\n', 'the header of "people.csv" (line 1) cannot be read: the quote that opens on line 1'],
  ])('is refused where rows cannot be known by it: %j', async (text, message) => {
    const opening = openSource(fileOf('people.csv', text), { name: 'people.csv' });
    await expect(opening).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(message) });
  });

  it('may have names that every object has', async () => {
    const rows = await readText('people.csv', 'constructor,toString\n1,2\n');
    expect(rows).toMatchObject([{ fields: { constructor: '1', toString: '2' } }]);
  });

  it('may be longer than what is read at once', async () => {
    const names = Array.from({ length: 20_000 }, (_, at) => `column ${at}`);
    const { fields } = await openSource(fileOf('people.csv', `${names.join(',')}\n`));
    expect(fields).toEqual(names);
  });
});
