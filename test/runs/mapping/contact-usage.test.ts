import { expect, it } from 'vitest';
import { checkContactMapping, type ContactMappingOptions } from '../../../src/runs/mapping/contact-options.ts';
import { createContactMapping, createFieldUsage } from '../../../src/runs/mapping/contact.ts';
import { mapFlag } from '../../../src/runs/mapping/flags.ts';
import { quoted } from '../../support/system.ts';
import { thrown } from '../../support/thrown.ts';
import { as } from './rig.ts';

const map = (...texts: readonly string[]) => texts.map(mapFlag);
const set = (...keys: readonly string[]) => keys.map((key) => ({ key: key.split('.'), value: 'x' }));

it.each<[string, ContactMappingOptions, string]>([
  ['two inputs of one field', { map: map('a=x', 'b=x') }, '--map a=x and --map b=x both give the field x'],
  ['an input and a constant', { map: map('a=x'), set: set('x') }, '--map a=x and --set x both give the field x'],
  ['two constants', { set: set('x', 'x') }, '--set x and --set x both give the field x'],
  ['a field and a part of it', { map: map('a=x.y.z'), set: set('x') }, 'both give the field x and a part of it'],
  ['a part and its whole', { set: set('x.y', 'x.y.z') }, 'both give the field x.y and a part of it'],
  ['two conversions', { type: [...as('json', 'x'), ...as('number', 'x')] }, 'x is named twice by --type'],
  ['a conversion of the phone', { type: as('number', 'phone') }, '--type names phone, which is a phone number'],
])('refuses %s before it reads anything', (_name, options, message) => {
  expect(thrown(() => checkContactMapping(options))).toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
    hint: expect.any(String),
  });
});

it.each<[string, ContactMappingOptions, string, string]>([
  ['a mistyped column', { map: map('Moblie=phone') }, '--map names "Moblie"', 'did you mean "Mobile"?'],
  ['a column in other letters', { keep: [' MOBILE'] }, '--keep names " MOBILE"', 'did you mean "Mobile"?'],
  ['a map with its ends changed', { map: map('years=age') }, '--map names "years"', 'did you mean --map age=years?'],
  [
    'two maps in one',
    { map: map('Mobile=phone,age=years') },
    '--map names "Mobile=phone,age"',
    'one --map for each: --map Mobile=phone --map age=years',
  ],
  [
    'two fields in one',
    { type: as('number', 'age, x.y') },
    '--type names',
    'one --type for each: --type age --type x.y',
  ],
  ['an unknown column', { keep: ['zip code'] }, 'no such column', 'the columns are "Mobile", "age", "x.y", "phone"'],
  ['a mistyped field', { type: as('number', 'agee') }, '--type names "agee", but no such field', 'did you mean "age"?'],
  [
    'a field by its original name',
    { map: map('age=a.b'), type: as('number', 'age') },
    'which --map sends as a.b',
    'use --type a.b',
  ],
  [
    'a field that is not kept',
    { keep: ['x.y'], type: as('boolean', 'age') },
    '--type names "age", but no such field is sent',
    'the fields are "x.y", "phone"',
  ],
  ['a column and a map to it', { map: map('Mobile=age') }, 'the column "Mobile" and the column "age"', '--keep'],
  ['a column and a constant', { set: set('age') }, 'the column "age" and --set age both give the field age', '--keep'],
  ['a column and a part of it', { set: set('age.x') }, 'both give the field age and a part of it', '--keep'],
  ['a column with the name of a path', { map: map('age=x.y') }, 'both give the field x.y', '--keep'],
  [
    'a constant that is no number',
    { set: set('n'), type: as('number', 'n') },
    '--set n: "x" is not a number',
    'give a value that can be read',
  ],
  ['a mistyped country', { country: ':aeg' }, '--country names "aeg"', 'did you mean "age"?'],
])('refuses %s before the first row', async (_name, options, message, hint) => {
  const made = createContactMapping(options, { fields: ['Mobile', 'age', 'x.y', 'phone'] });
  await expect(made).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
});

it("refuses a record's field by its original name before the first record", async () => {
  const made = createContactMapping({ map: map('age=years'), type: as('number', 'age') }, { fields: undefined });
  await expect(made).rejects.toMatchObject({ exit: 'usage', hint: 'use --type years' });
});

it.each<[string, ContactMappingOptions, string]>([
  ['mapped', { map: map('Moblie=phone') }, '--map names "Moblie", but no record of the input has it'],
  ['kept', { keep: ['Moblie'] }, '--keep names "Moblie"'],
  ['converted', { type: as('number', 'Moblie') }, '--type names "Moblie"'],
  ['the column of countries', { country: ':Moblie' }, '--country names "Moblie"'],
])('refuses a name that is %s and that no record has', (_name, options, message) => {
  const inputs = createFieldUsage(options);
  for (const fields of [{ a: 1 }, { Mobile: 2 }]) inputs.see(fields);
  expect(thrown(() => inputs.refuseUnseen())).toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(message),
    hint: 'did you mean "Mobile"?',
  });
});

it('explains how to write a --map with its sides swapped', () => {
  const inputs = createFieldUsage({ map: map('full=Full Name') });
  inputs.see({ 'Full Name': 'Ada' });
  expect(thrown(() => inputs.refuseUnseen())).toMatchObject({ hint: quoted("did you mean --map 'Full Name=full'?") });
});

it.each<[string, ContactMappingOptions, readonly object[]]>([
  ['one record has', { map: map('a=x'), keep: ['b'] }, [{ a: 1 }, { b: 1 }]],
  ['only the body has', { map: map('a=x.y'), set: set('n'), type: as('number', 'x.y', 'n') }, [{ a: 1 }]],
  ['an input without records cannot have', { map: map('a=x') }, []],
])('accepts a name that %s', (_name, options, records) => {
  const inputs = createFieldUsage(options);
  for (const fields of records) inputs.see({ ...fields });
  expect(thrown(() => inputs.refuseUnseen())).toBeUndefined();
});

it('makes one body of constants in any order', async () => {
  const bodies = [set('m', 'a.n'), set('a.n', 'm')].map(async (constants) =>
    (await createContactMapping({ set: constants }, { fields: undefined }))({ z: 1 }),
  );
  const [one, other] = await Promise.all(bodies);
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
});
