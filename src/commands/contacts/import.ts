import { countryFlag, fieldFlag, mapFlag, splitFlag } from '../../bulk/mapping/flags.ts';
import { command } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { option, repeated, required } from '../../cli/params.ts';
import { setting } from '../../cli/values.ts';
import { runDetails, runInstead, runParams } from '../running/run-params.ts';
import { runView } from '../running/view.ts';

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: [
    'Each column or field becomes the field of its own name in the contact, unless it',
    'is mapped; an empty cell is left out. --map and --drop name fields of the input,',
    'the other flags fields of the contact, where dots nest.',
    '',
    ...runDetails,
  ].join('\n'),
  params: {
    file: required('<file>', 'CSV, TSV, NDJSON or a JSON array; - for stdin'),
    map: repeated('--map <input=field>', "an input's field under another name: 'Mobile=phone'", mapFlag),
    set: repeated('--set <key=value>', 'a field with the same text in every contact', setting),
    split: repeated('--split <field[=by]>', 'a text into a list, by comma, semicolon or pipe', splitFlag),
    number: repeated('--number <field>', 'a text into a number', fieldFlag),
    boolean: repeated('--boolean <field>', 'yes, no, true, false, 1 or 0 into true or false', fieldFlag),
    parseJson: repeated('--parse-json <field>', 'a text that is JSON into its value', fieldFlag),
    drop: repeated('--drop <input>', "leave out this field of the input's"),
    phone: repeated('--phone <field>', 'a phone number into the form of E.164', fieldFlag),
    country: option('--country <code>', 'the country of numbers that do not say: US, GB, …', countryFlag),
    ...runParams,
  },
  examples: [
    'contacts import people.csv --profile local --dry-run',
    'contacts import people.csv --profile local',
    'contacts import people.csv --profile local --resume',
    'contacts import crm.csv --map Mobile=phone --phone phone --country US --split tags=semicolon --profile local',
  ],
  sample: 'Done (simulated): 3 of 3 rows in 0.3 s',
  honours: calling,
  piped: 'text',
  instead: {
    ...runInstead,
    '--to-column': 'here it is --map VALUE=phone',
    '--param-column': "a template's variables are of send-batch; here --map VALUE=field names a field",
    '--normalise': 'here it is --phone phone',
  },
  run: async (context, { map, set, split, number, boolean, parseJson: json, drop, phone, country, ...input }, emit) => {
    const { importJob } = await import('../running/import-job.ts');
    const { runJob } = await import('../running/run.ts');
    const mapping = { map, set, split, number, boolean, json, drop, phone, country };
    return runJob(context, importJob(context, mapping), input, emit);
  },
  ...runView,
});
