import { beforeEach, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';
import { type SheetParts, workbook } from '../support/workbook.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const file = (sheets: readonly SheetParts[]) => world.write('people.xlsx', workbook(sheets));

const header = ['phone', 'name', 'date'];
const ada = ['+12025550141', 'Ada', '1 May'];
const bo = ['+12025550142', 'Bo', '2 May'];

const batch = (path: string, ...words: readonly string[]) =>
  world.run(['send-batch', 'order_update', path, '-p', ':name', '-p', ':date', ...words]);
const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params]);

it('keeps the sheet of --sheet in the batch', async () => {
  const path = file([{ rows: [['x']] }, { name: 'May', rows: [header, ada, bo] }]);
  await batch(path, '--sheet', 'may', '--first', '1');
  expect((await batch(path)).code).toBe(0);
  expect(sent()).toEqual([ada, bo]);
});

it('imports contacts, with phones that were stored as numbers', async () => {
  const path = file([{ rows: [header, [15112345678, 'Jörg', 'x']] }]);
  const { code } = await world.run(['contacts', 'import', path, '--country', 'DE']);
  expect([code, world.sandbox.contacts().at(-1)]).toMatchObject([0, { name: 'Jörg', phone: '+4915112345678' }]);
});

it('reports failed rows as CSV, with the row of the sheet', async () => {
  const rows = [[], header, [], ['+12025550141', 'Ada\nAda', 'x'], ['12', 'Bo', 'y'], []];
  expect((await batch(file([{ rows }]))).code).toBe(10);
  const { stdout } = await world.run(['batches', 'report', '--outcome', 'failed', '-o', 'csv']);
  expect(stdout).toMatch(/^\ufeff?phone,name,date,bizmsg_row,bizmsg_line,.*\n12,Bo,y,[\da-f]{12}-2,5,failed,/);
});
