import { expect, it } from 'vitest';
import { said } from './rig.ts';

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
    `${batch} --param-column name order`,
    'order',
    "quote a value that has a space: --param-column 'name order'; if they are several: --param-column name --param-column order",
  ],
  [
    'a value of one',
    `${batch} --to-column Cell Phone`,
    'Phone',
    "quote a value that has a space: --to-column 'Cell Phone'",
  ],
  ['two files', `${people} orders.csv`, 'orders.csv', 'one file at a time: give each a line of its own'],
  [
    'two files around an option',
    `${people} --profile local b.csv`,
    'b.csv',
    'one file at a time: give each a line of its own',
  ],
  [
    'a file of results',
    'contacts export a.csv',
    'a.csv',
    'results go to stdout: bizmsg contacts export -o csv > a.csv',
  ],
  [
    'another one',
    "contacts list 'my list.json'",
    'my list.json',
    "results go to stdout: bizmsg contacts list -o json > 'my list.json'",
  ],
  ['a file that has an option', 'contacts create body.json', 'body.json', 'did you mean --input body.json?'],
  ['a param', `${send} Ada`, 'Ada', 'did you mean -p Ada?'],
  ['a param after --', 'send-template -- +12025550101 order_update Ada', 'Ada', 'did you mean -p Ada?'],
  ['a value of a flag', 'contacts list --all 5', '5', '--all takes no value'],
  ['a word of a command that takes none', 'doctor now', 'now', 'it takes no argument: write bizmsg doctor [options]'],
  ['another one', 'runs list now', 'now', 'it takes no argument: write bizmsg runs list'],
  ['anything else', 'runs show a b', 'b', 'write bizmsg runs show <id> [options]'],
])('says what to do about %s: %s', async (_name, line, word, hint) => {
  expect(await said(line)).toEqual([`"${word}" is one argument too many`, hint]);
});

it.each([
  [`${people} --json tags`, '--parse-json tags'],
  ['contacts create --json n=1', '--set-json n=1'],
])('says which option %s means', async (line, option) => {
  expect((await said(line))[0]).toContain(`--json takes no value; did you mean ${option}?`);
});

it('shows no key that is typed where nothing stands', async () => {
  const [message] = await said('login sk_live_0123456789abcdef');
  expect(message).toBe('"sk_live_…cdef" is one argument too many');
});
