import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { execa } from 'execa';
import { cleanEnv, program } from '../support/bin.ts';
import { modeOf, ownFolder } from '../support/system.ts';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';
import { workbook } from '../support/workbook.ts';
import { openWorld, type World } from '../support/world.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

let world: World;
let terminal: Terminal;
beforeEach(async () => {
  world = await openWorld();
  terminal = openTerminal({ home: world.home, columns: 120, env: world.env });
  onTestFinished(() => terminal.close());
  await terminal.enter(`cd ${world.home}`);
});
afterEach(() => world.close());

const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params]);
const write = (name: string, content: string | Buffer) => writeFileSync(join(world.home, name), content);

/** Chooses an item of a list by moving down. */
async function choose(question: string | RegExp, down: number): Promise<void> {
  await terminal.until(question);
  for (let at = 0; at < down; at++) terminal.press('Down');
  terminal.press('Enter');
}

it('asks for everything, shows the messages, sends, and writes the command to a file that runs', async () => {
  write(
    'people.csv',
    Buffer.from('Mobil;Kunde;Bestellung\n0151 12345678;Müller;A-1\n0151 12345679;Köhler;A-2\n', 'latin1'),
  );
  await terminal.enter('bizmsg send-batch');
  await terminal.until('File with the people');
  terminal.answer('people.csv');
  await choose('Template', 0);
  await terminal.until(/Read it as windows-1252: Müller, Köhler; right\?/);
  terminal.answer('y');
  await choose('No column is named phone', 0);
  await choose('{{1}} name', 2);
  await choose('{{2}} order', 3);
  await terminal.until('Country of national numbers such as 0151 12345678');
  terminal.answer('DE');
  const screen = await terminal.until('Send order_update to the people in people.csv?');
  expect(screen).toMatch(/The first messages:\n +\+4915112345678 ".*Müller.*A-1.*"\n +\+4915112345679 ".*Köhler.*A-2/);
  terminal.answer('y');
  await terminal.until('Write it to a file');
  expect(terminal.screen()).toMatch(
    /bizmsg send-batch order_update people\.csv --encoding windows-1252 --map Mobil=phone -p :Kunde -p :Bestellung \\\n  --country DE/,
  );
  terminal.answer('reminder.sh');
  expect(await terminal.ended()).toBe(0);
  const rows = [
    ['+4915112345678', 'Müller', 'A-1'],
    ['+4915112345679', 'Köhler', 'A-2'],
  ];
  expect(sent()).toEqual(rows);
  expect(modeOf(join(world.home, 'reminder.sh'))).toBe(ownFolder);
  write('bizmsg', `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`);
  const path = `${world.home}:${process.env['PATH']}`;
  await execa('chmod', ['+x', join(world.home, 'bizmsg')]);
  await execa('sh', [join(world.home, 'reminder.sh')], {
    env: { ...cleanEnv(world.home, world.env), PATH: path },
    extendEnv: false,
    cwd: '/',
  });
  expect(sent()).toEqual([...rows, ...rows]);
});

it('asks nothing if everything is given', async () => {
  write('people.csv', 'phone,name\n+12025550141,Ada\n');
  await terminal.enter('bizmsg send-batch welcome people.csv');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).not.toContain('?');
  expect(terminal.screen()).not.toContain('The same without questions');
});

it('takes columns with the names of variables, and a text for all', async () => {
  await world.run(['templates', 'list']);
  write(
    'people.xlsx',
    workbook([
      {
        rows: [
          ['Phone', 'NAME'],
          ['+12025550141', 'Ada'],
        ],
      },
    ]),
  );
  await terminal.enter('bizmsg send-batch order_update people.xlsx --dry-run');
  await terminal.until('{{1}} name ← column NAME');
  await choose('{{2}} order', 0);
  await terminal.until(/\{\{2\}\} order\s*$/);
  terminal.answer(':soon');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).toContain('bizmsg send-batch order_update people.xlsx --dry-run -p :NAME -p ::soon');
  expect(sent()).toEqual([]);
});

it('shows three values of each column that may have the phones', async () => {
  write('people.csv', 'Phone,Mobile\n+12025550141,+12025550151\n+12025550142,+12025550152\n');
  await terminal.enter('bizmsg send-batch welcome people.csv');
  await choose(/Mobile · \+12025550151, \+12025550152/, 1);
  await terminal.until('Send welcome');
  terminal.answer('y');
  await terminal.until('Write it to a file');
  terminal.press('C-c');
  expect([await terminal.ended(), sent()]).toEqual([0, [['+12025550151'], ['+12025550152']]]);
});

it('offers the likely column of the phones, and a text for all, before many other columns', async () => {
  await world.run(['templates', 'list']);
  const columns = Array.from({ length: 20 }, (_, at) => `c${at}`);
  write('wide.csv', `${columns.join(',')},Handy\n${columns.join(',')},+12025550141\n`);
  await terminal.enter('bizmsg send-batch order_update wide.csv -p Ada --dry-run');
  await choose('No column is named phone', 0);
  await choose('{{2}} order', 0);
  await terminal.until(/\{\{2\}\} order\s*$/);
  terminal.answer('soon');
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).toContain(
    'bizmsg send-batch order_update wide.csv -p Ada --dry-run --map Handy=phone -p soon',
  );
});

it('names the option if the guessed encoding is wrong', async () => {
  write('people.csv', Buffer.from('phone,name\n+12025550141,Köhler\n', 'latin1'));
  await terminal.enter('bizmsg send-batch welcome people.csv');
  await terminal.until('Read it as windows-1252: Köhler; right?');
  terminal.answer('n');
  expect(await terminal.ended()).toBe(11);
  expect(terminal.screen()).toContain('pass its encoding, such as --encoding iso-8859-2');
});

it('sends nothing if the person declines', async () => {
  write('people.csv', 'Handy\n+12025550141\n');
  await terminal.enter('bizmsg send-batch welcome people.csv');
  await choose('No column is named phone', 0);
  await terminal.until('Send welcome');
  terminal.answer('n');
  expect([await terminal.ended(), sent()]).toEqual([11, []]);
});

it.each([
  [[], 'the template is missing'],
  [['people.csv'], 'the template is missing'],
  [['welcome'], 'the file is missing'],
  [['welcome', 'people.csv'], '--map Handy=phone'],
])('a script with %j is told what is missing', async (words, message) => {
  write('people.csv', 'Handy\n+12025550141\n');
  const paths = words.map((word) => (word.endsWith('.csv') ? join(world.home, word) : word));
  const { code, stderr } = await world.run(['send-batch', ...paths]);
  expect([code, stderr, sent()]).toEqual([2, expect.stringContaining(message), []]);
});

it('a live batch asks its own question, and the command has a limit', async () => {
  await world.run(['sandbox', 'keys', 'go-live']);
  write('people.csv', 'Handy\n+12025550141\n');
  await terminal.enter(`BIZMSG_API_KEY=${world.sandbox.keys.live} bizmsg send-batch welcome people.csv`);
  await choose('No column is named phone', 0);
  await terminal.until('Send it?');
  expect(terminal.screen()).not.toContain('Send welcome to the people');
  terminal.answer('y');
  await terminal.until('Write it to a file');
  terminal.press('Enter');
  expect([await terminal.ended(), sent()]).toEqual([0, [['+12025550141']]]);
  expect(terminal.screen()).toContain('bizmsg send-batch welcome people.csv --map Handy=phone --at-most 1');
});
