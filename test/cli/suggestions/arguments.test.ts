import { expect, it } from 'vitest';
import { cli } from '../../support/cli.ts';
import { newHome } from '../../support/fake-service.ts';
import { quoted } from '../../support/system.ts';
import { refusal } from './rig.ts';

const batch = 'send-batch order_update orders.csv';
const people = 'contacts import people.csv';
const send = 'send-template +12025550101 order_update';

it.each([
  [
    'forgotten quotes',
    `${people} --map Full Name=name`,
    'Name=name',
    "quote a value that has a space: --map 'Full Name=name'",
  ],
  [
    'forgotten quotes before the file',
    'contacts import --map Full Legal Name=name people.csv',
    'Legal',
    "quote a value that has a space: --map 'Full Legal Name=name'",
  ],
  ['two maps', `${people} --map A=b C=d`, 'C=d', 'one --map for each: --map A=b --map C=d'],
  ['a map without a sign', `${people} --map Mobile phone`, 'phone', 'write --map Mobile=phone'],
  [
    'two columns',
    `${batch} -p :name order`,
    'order',
    "quote a value that has a space: -p ':name order'; for several values: -p :name -p order",
  ],
  ['a value of one', `${batch} --job two words`, 'words', "quote a value that has a space: --job 'two words'"],
  ['two files', `${people} orders.csv`, 'orders.csv', 'pass one file at a time'],
  ['two files around an option', `${people} --profile local b.csv`, 'b.csv', 'pass one file at a time'],
  [
    'a file of results',
    'contacts export a.csv',
    'a.csv',
    'results go to stdout: bizmsg contacts export -o csv > a.csv',
  ],
  [
    'a file with a space',
    "contacts list 'my list.json'",
    'my list.json',
    "results go to stdout: bizmsg contacts list -o json > 'my list.json'",
  ],
  ['a file that has an option', 'contacts create body.json', 'body.json', 'did you mean --input body.json?'],
  ['a param', `${send} Ada`, 'Ada', 'did you mean -p Ada?'],
  ['a param after --', 'send-template -- +12025550101 order_update Ada', 'Ada', 'did you mean -p Ada?'],
  ['a method', 'api POST /api/public/contacts', '/api/public/contacts', 'did you mean -X POST?'],
  ['a method in small letters', 'api post /api/public/contacts', '/api/public/contacts', 'did you mean -X POST?'],
  [
    'a field',
    'contacts create phone=+12025550101 name=Ada',
    'phone=+12025550101',
    'did you mean --set phone=+12025550101?',
  ],
  ['a map', `${people} Mobile=phone`, 'Mobile=phone', 'did you mean --map Mobile=phone?'],
  ['a value of a flag', 'contacts list --all 5', '5', '--all takes no value'],
  ['a word of a command that takes none', 'doctor now', 'now', 'it takes no argument: write bizmsg doctor [options]'],
  ['a file with a space', 'runs list now', 'now', 'it takes no argument: write bizmsg runs list'],
  ['anything else', 'runs show a b', 'b', 'write bizmsg runs show [id] [options]'],
])('suggests for %s: %s', async (_name, line, word, hint) => {
  expect(await refusal(line)).toEqual([`"${word}" is one argument too many`, quoted(hint)]);
});

it('masks a key that is typed as an extra argument', async () => {
  expect(await refusal('login sk_live_0123456789abcdef')).toEqual([
    '"sk_live_…cdef" is one argument too many',
    expect.stringMatching(/^keys are never arguments: .*, so replace it/),
  ]);
});

it('says that the phone comes before the template', async () => {
  expect(await refusal("send-template 'order update' +12025550101 -p Ada")).toEqual([
    '"order update" is not a phone number',
    quoted("the phone comes first, then the template: bizmsg send-template +12025550101 'order update'"),
  ]);
});

it('shows how a command is written whose argument is missing', async () => {
  const { code, stderr } = await cli(['sandbox', 'reset'], { home: newHome() });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'error: <what> is missing\n  write bizmsg sandbox reset <what>\n  <what> is one of messages, contacts, logs, all\n',
  );
});
