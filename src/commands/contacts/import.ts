import { countryFlag, fieldFlag, mapFlag, splitFlag } from '../../runs/mapping/flags.ts';
import { command } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { option, repeated, required, setting } from '../../cli/params.ts';
import { runDetails, runInstead, runParams } from '../../runs/options.ts';
import { runView } from '../../runs/result.ts';

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: [
    'Each column of the file, or in NDJSON and JSON each field, becomes the field of the same name in the',
    'contact, unless --map gives it another name. An empty cell is left out. --map and --drop name',
    'columns, the other options name fields of the contact, where a dot makes an object: attributes.city.',
    '',
    ...runDetails([
      'A finished import is imported again, with a note; --new-only skips rows that another run has imported.',
    ]),
  ].join('\n'),
  params: {
    file: required('<file>', 'CSV, TSV, NDJSON or a JSON array, or - for stdin'),
    map: repeated('--map <column=field>', 'send a column as a field of another name: Mobile=phone', mapFlag),
    set: repeated('--set <key=value>', 'give every contact this field, as text', setting),
    split: repeated(
      '--split <field[=by]>',
      'make a list of a text, cut at each comma, semicolon or pipe (comma)',
      splitFlag,
    ),
    number: repeated('--number <field>', 'send a text as a number', fieldFlag),
    boolean: repeated('--boolean <field>', 'send yes, no, true, false, 1 or 0 as true or false', fieldFlag),
    parseJson: repeated('--parse-json <field>', 'send a text that is JSON as the value it stands for', fieldFlag),
    drop: repeated('--drop <column>', 'leave a column out'),
    phone: repeated('--phone <field>', 'bring a phone number into the form +12025550101', fieldFlag),
    country: option('--country <code>', 'the country of numbers that have no country code, such as US', countryFlag),
    ...runParams,
  },
  examples: [
    'contacts import people.csv --profile local',
    'contacts import people.csv --profile local --dry-run',
    'contacts import crm.csv --map Mobile=phone --phone phone --country US --split tags=semicolon --profile local',
  ],
  sample: 'Done (simulated): 2 of 2 rows sent in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  instead: {
    ...runInstead,
    '--to-column': 'here it is --map VALUE=phone',
    '--param-column': "a template's variables are of send-batch; here --map VALUE=field names a field",
    '--normalise': 'here it is --phone phone',
  },
  run: async (context, { map, set, split, number, boolean, parseJson: json, drop, phone, country, ...input }, emit) => {
    const { importJob } = await import('../../runs/import.ts');
    const { runJob } = await import('../../runs/run.ts');
    const mapping = { map, set, split, number, boolean, json, drop, phone, country };
    return runJob(context, importJob(context, mapping), input, emit);
  },
  ...runView,
});
