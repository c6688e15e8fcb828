import { expect, it } from 'vitest';
import { refusal } from './rig.ts';

const batch = 'send-batch order_update orders.csv';
const people = 'contacts import people.csv';

it.each([
  ['the beginning of a global option', `${people} --dry`, 'did you mean --dry-run?'],
  ['the beginning of an option of the command', `${batch} --exclude people`, 'did you mean --exclude-from?'],
  ['the beginning of a word', 'contacts list --prof acme', 'did you mean --profile?'],
  ['the beginning of several', `${people} --allow`, 'see bizmsg contacts import --help'],
  ['another part of a name', `${people} --most 3`, 'did you mean --at-most?'],
  ['a part of one', `${batch} --column name`, 'did you mean --columns?'],
  ['a slip', 'contacts list --limt 3', 'did you mean --limit?'],
  [
    'an argument',
    'contacts import --file people.csv',
    'pass the file as an argument: bizmsg contacts import people.csv',
  ],
  [
    'an argument of two',
    'send-batch welcome --file a.csv',
    'pass the file as an argument: bizmsg send-batch <template> a.csv',
  ],
  [
    'an argument by its format',
    'contacts import --csv a.csv',
    'pass the file as an argument: bizmsg contacts import a.csv',
  ],
  ['a separator', `${people} --delimiter ';'`, 'the separator is detected'],
  ['a separator in one word', `${people} '--separator=;'`, 'the separator is detected'],
  ['a separator, mistyped', `${people} --delimeter ';'`, 'the separator is detected'],
  ['a negative value', 'sandbox clock advance -5s', 'a value cannot be negative'],
  [
    'an option of the batch',
    `${people} --param name`,
    'use --map COLUMN=field; template variables belong to send-batch',
  ],
  ['a format', 'contacts list --csv', 'did you mean -o csv?'],
  ['a format as a value', 'contacts list --format json', 'did you mean -o json?'],
  ['a format of an export', 'contacts export --format csv', 'did you mean -o csv?'],
  ['a mode', 'contacts list --live', 'did you mean --mode live?'],
  [
    'a file of results',
    'contacts export --out x.json',
    'results go to stdout: bizmsg contacts export -o json > x.json',
  ],
  ['a file by another option', 'contacts create --body a.json', 'did you mean --input a.json?'],
  ['a file whose name begins with a dash', 'send-batch welcome -dash.csv', 'if it is a file, write ./-dash.csv'],
  ['all pages, as in gh', 'contacts list --paginate', 'did you mean --all?'],
  ['a limit of rows', `${batch} --limit 10`, 'did you mean --first?'],
  ['a field of curl', 'contacts create -d name=Ada', 'did you mean --set?'],
  ['a field as data', 'send-template +12025550101 welcome --data Ada', 'did you mean --param?'],
  [
    'a key that does not look like one',
    'contacts list --token abc',
    'keys are never arguments: bizmsg login stores one in a profile, or set BIZMSG_API_KEY and BIZMSG_BASE_URL',
  ],
  ['a key before the command', '--api-key sk_test_abcdefgh contacts list', expect.stringContaining('so replace it')],
  ['an unknown option', 'contacts list --xyzzy', 'see bizmsg contacts list --help'],
])('suggests for %s: %s', async (_name, line, hint) => {
  expect(await refusal(line)).toEqual([expect.stringMatching(/^unknown option -/), hint]);
});

it.each(['--quiet=yes', '--no-color='])('says that a flag takes no value: %s', async (word) => {
  const [flag] = word.split('=');
  expect(await refusal(`contacts list ${word}`)).toEqual([
    `${flag} takes no value`,
    `write ${flag} instead of ${word}`,
  ]);
});

it('suggests global options before a command, too', async () => {
  expect(await refusal('--dry contacts list')).toEqual([
    'unknown option --dry before a command',
    'did you mean --dry-run?',
  ]);
});

it.each([
  ['-o people.csv', 'results go to stdout: -o csv > people.csv'],
  ['--output people.ndjson', 'results go to stdout: -o ndjson > people.ndjson'],
  ['-o people.xml', 'results go to stdout: -o csv > people.xml'],
  ['-o xml', ''],
])('explains for %s where results go', async (words, hint) => {
  expect(await refusal(`contacts export ${words}`)).toEqual([
    expect.stringContaining('" is not one of table, json'),
    hint,
  ]);
});

it('says which option needs a value', async () => {
  expect(await refusal('contacts list --columns')).toEqual([
    '--columns needs a value',
    'see bizmsg contacts list --help',
  ]);
});

it('names the values of an option that has none', async () => {
  expect(await refusal('contacts list -o')).toEqual([
    '--output needs a value',
    'one of table, json, ndjson, csv, tsv, id',
  ]);
});
