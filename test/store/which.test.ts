import { describe, expect, it } from 'vitest';
import { type Batch, batchWithId, findBatch, type Scope } from '../../src/store/batch.ts';
import { cancel } from '../../src/store/cancel.ts';
import { release } from '../../src/store/ending.ts';
import { fillName, isName, nameAfter, type Wanted, type Which, whichBatch } from '../../src/store/which.ts';
import { drivers } from './drivers.ts';
import { load, scope, send, start, worker } from './rig.ts';

const sandbox: Scope = { ...scope, mode: 'sandbox' };
const contact: Scope = { ...scope, kind: 'import' };
const wanted: Wanted = { scope, name: 'people', proposal: 'people', per: undefined, needsName: true, now: start };

type Before = 'nothing' | 'sent' | 'waiting' | 'working' | 'cancelled';

interface Cell {
  readonly before: Before;
  readonly scope?: Scope;
  readonly wanted?: Partial<Wanted>;
  readonly kind: Which['kind'];
  readonly name?: string;
}

const table: readonly Cell[] = [
  { before: 'nothing', kind: 'new', name: 'people' },
  { before: 'sent', kind: 'batch', name: 'people' },
  { before: 'waiting', kind: 'batch', name: 'people' },
  { before: 'working', kind: 'working', name: 'people' },
  { before: 'cancelled', kind: 'cancelled', name: 'people' },
  { before: 'sent', wanted: { scope: { ...scope, template: 'U' } }, kind: 'different', name: 'people' },
  { before: 'sent', wanted: { scope: contact }, kind: 'different', name: 'people' },
  { before: 'sent', wanted: { per: 'order' }, kind: 'different', name: 'people' },
  { before: 'sent', wanted: { per: '' }, kind: 'batch', name: 'people' },
  { before: 'sent', wanted: { scope: sandbox }, kind: 'new', name: 'people' },
  { before: 'sent', wanted: { scope: { ...scope, account: 'B' } }, kind: 'new', name: 'people' },
  { before: 'nothing', wanted: { name: undefined }, kind: 'unnamed' },
  { before: 'nothing', wanted: { name: undefined, needsName: false }, kind: 'new', name: 'people' },
  { before: 'sent', wanted: { name: undefined, needsName: false }, kind: 'new', name: 'people-2' },
  { before: 'waiting', wanted: { name: undefined, needsName: false }, kind: 'batch', name: 'people' },
  { before: 'cancelled', wanted: { name: undefined, needsName: false }, kind: 'new', name: 'people-2' },
  { before: 'nothing', scope: sandbox, wanted: { name: undefined }, kind: 'new', name: 'people' },
  { before: 'waiting', scope: sandbox, wanted: { name: undefined }, kind: 'batch', name: 'people' },
  { before: 'sent', scope: sandbox, wanted: { name: undefined }, kind: 'new', name: 'people-2' },
  { before: 'sent', scope: contact, wanted: { name: undefined }, kind: 'batch', name: 'people' },
];

describe.each(drivers)('which batch a command means, $where', ({ open }) => {
  it.each(table)('$before $scope.kind, $wanted: $kind $name', async (cell) => {
    const database = await open();
    const options = { name: 'people', scope: cell.scope ?? scope };
    if (cell.before === 'sent') await send(database, [{ phone: '+1' }], options);
    else if (cell.before !== 'nothing') {
      const batch = await load(database, [{ phone: '+1' }], options);
      if (cell.before !== 'working') await release(database, batch.id, worker, start);
      if (cell.before === 'cancelled') await cancel(database, batch, 'all', start);
    }
    const which = await whichBatch(database, { ...wanted, scope: options.scope, ...cell.wanted });
    expect([which.kind, nameOf(which)]).toEqual([cell.kind, cell.name]);
  });

  it('finds a batch by its name and by the beginning of its id', async () => {
    const database = await open();
    const batch = await send(database, [{ phone: '+1' }], { name: 'people' });
    const stored: Batch | undefined = await database.read(() => batchWithId(batch.id));
    for (const text of ['people', 'PEOPLE', batch.id, batch.id.slice(0, 11)])
      expect(await findBatch(database, scope, text)).toEqual({ kind: 'batch', batch: stored });
    expect(await findBatch(database, scope, 'peopl')).toEqual({ kind: 'none' });
    await send(database, [{ phone: '+2' }], { name: 'more' });
    expect(await findBatch(database, scope, 'b')).toEqual({ kind: 'several' });
  });
});

function nameOf(which: Which): string | undefined {
  if (which.kind === 'new') return which.name;
  return 'batch' in which ? which.batch.name : undefined;
}

describe('a name', () => {
  it.each([
    { text: 'sale-{date}', name: 'sale-2026-01-04' },
    { text: 'Sale-{month}', name: 'sale-2026-01' },
    { text: '{hour}', name: '2026-01-04-09' },
    // A Sunday belongs to the week before, and the first week has a Thursday.
    { text: 'w{week}', name: 'w2026-w01' },
    { text: '{other}', name: '{other}' },
  ])('$text is filled: $name', ({ text, name }) => {
    expect(fillName(text, new Date(2026, 0, 4, 9, 30))).toBe(name);
  });

  it.each([
    ['people.csv', 'people'],
    ['/data/Kunden Köln.2026.csv', 'kunden-k-ln.2026'],
    ['C:\\lists\\A.xlsx', 'a'],
    ['0123456789ab.csv', 'batch'],
    ['.csv', '.csv'],
  ])('after the file %s is %s', (file, name) => {
    expect(nameAfter(file)).toBe(name);
  });

  it.each([
    ['autumn', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['Autumn', false],
    ['a b', false],
    ['0123456789ab', false],
  ])('%s: %s', (text, is) => {
    expect(isName(text)).toBe(is);
  });
});
