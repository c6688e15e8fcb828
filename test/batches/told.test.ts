import { expect, it } from 'vitest';
import { mergeTold, type Told, toldOf } from '../../src/batches/told.ts';
import { thrown } from '../support/thrown.ts';

it.each<[string, Told, Parameters<typeof mergeTold>[1], Told]>([
  ['keeps what is not typed', { where: ['a=1'] }, { param: [], where: [] }, { where: ['a=1'] }],
  ['replaces what is typed', { param: [':a'], rate: '20/s' }, { param: ['x', ''] }, { param: ['x', ''], rate: '20/s' }],
  ['keeps an empty variable', {}, { param: [''] }, { param: [''] }],
  ['drops --where', { where: ['a=1'], hours: 'x' }, { noWhere: true }, { hours: 'x' }],
  ['drops --hours before it adds others', { hours: 'x' }, { noHours: true, hours: 'y' }, { hours: 'y' }],
])('%s', (_name, stored, typed, told) => {
  expect(toldOf(JSON.stringify(mergeTold(stored, typed)))).toEqual(told);
});

it('reads what it wrote, without other fields', () => {
  const told = { param: [':name'], country: 'DE' };
  expect(toldOf(JSON.stringify({ ...told, command: 'rm -rf /' }))).toEqual(told);
});

it.each(['', '[]', 'null', '{"param":"x"}', '{"param":[1]}', '{"country":7}'])(
  'refuses the damaged text %j',
  (json) => {
    expect(thrown(() => toldOf(json))).toMatchObject({ exit: 'configuration', code: 'database-damaged' });
  },
);
