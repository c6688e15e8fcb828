import { describe, expect, it } from 'vitest';
import { openSource } from '../../../src/runs/input/source.ts';
import { fileOf, readText } from './rig.ts';

describe("a table's header", () => {
  it.each([
    ['phone,name,phone\n', '"phone" appears twice in the header of "people.csv" (line 1)'],
    ['a,b,a,b,a\n', '"a", "b" appear twice in the header'],
    ['\n\nphone, phone\n', '(line 3)'],
    ['phone,,name\n', 'column 2 has no name in the header'],
    ['phone,,name,\n', 'column 2 has no name in the header'],
    ['phone,__proto__\n', '"__proto__" cannot be'],
    ['+12029000001,Ada\n+12029000002,Bo\n', 'the first line of "people.csv" holds a phone number, +1202…01, so'],
    ['Ada;+1 202 900 0001\n', 'holds a phone number, +1 20…01, so it is no header line'],
    ['bizmsg_error\n', 'there is no column but "bizmsg_error"'],
    ['phone,na"me\n+1,Ada\n', 'the header of "people.csv" (line 1) cannot be read: misplaced quote on line 1'],
    ['phone,"name\n+1,Ada\n', 'the header of "people.csv" (line 1) cannot be read: unclosed quote on line 1'],
  ])('is refused if it cannot name the columns: %j', async (text, message) => {
    const opening = openSource(fileOf('people.csv', text), { name: 'people.csv' });
    await expect(opening).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(message) });
  });

  it('may have names of inherited properties', async () => {
    const rows = await readText('people.csv', 'constructor,toString\n1,2\n');
    expect(rows).toMatchObject([{ fields: { constructor: '1', toString: '2' } }]);
  });

  it.each(['+1', '+1000', '2024', '12025550101', '+12025550101 (old)'])(
    'may have a name that is unlikely to be a phone number: %s',
    async (name) => {
      expect(await readText('people.csv', `${name},a\n1,2\n`)).toMatchObject([{ fields: { [name]: '1' } }]);
    },
  );

  it('may be longer than one chunk', async () => {
    const names = Array.from({ length: 100_000 }, (_, at) => `c ${at}`);
    const { fields } = await openSource(fileOf('people.csv', `${names.join(',')}\n`));
    expect(fields).toEqual(names);
  });
});
