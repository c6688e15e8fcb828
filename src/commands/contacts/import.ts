import { countryFlag, fieldFlag, mapFlag, splitFlag } from '../../runs/mapping/flags.ts';
import { command } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { flag, option, repeated, required, setting } from '../../cli/params.ts';
import { runDetails, runInstead, runParams } from '../../runs/options.ts';
import { runView } from '../../runs/result.ts';

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: [
    'Each column of the file (in NDJSON and JSON, each field) becomes the field of the same name in the contact,',
    'unless --map renames it. Empty cells are omitted. --map and --drop take columns; the other options take',
    'fields of the contact, in which a dot makes an object: attributes.city.',
    '',
    ...runDetails(['Rows imported within 30 days are skipped; --again imports all once more.']),
  ].join('\n'),
  params: {
    file: required('<file>', 'CSV, TSV, NDJSON or a JSON array, or - for stdin'),
    map: repeated('--map <column=field>', 'rename a column to a field: Mobile=phone', mapFlag),
    set: repeated('--set <key=value>', 'set a field of every contact, as text', setting),
    split: repeated(
      '--split <field[=by]>',
      'split a text into a list at each comma, semicolon or pipe (default: comma)',
      splitFlag,
    ),
    number: repeated('--number <field>', 'convert a field to a number', fieldFlag),
    boolean: repeated('--boolean <field>', 'convert yes, no, true, false, 1 or 0 to a boolean', fieldFlag),
    parseJson: repeated('--parse-json <field>', 'parse a field as JSON', fieldFlag),
    drop: repeated('--drop <column>', 'omit a column'),
    phone: repeated('--phone <field>', 'check and normalize the phone number in this field', fieldFlag),
    normalize: flag('--normalize', 'normalize phones to the form +12025550101'),
    country: option(
      '--country <code>',
      'normalize phones; the country of those without a country code, such as US',
      countryFlag,
    ),
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
    '--to-column': 'use --map VALUE=phone',
    '--param-column': 'use --map VALUE=field; template variables belong to send-batch',
  },
  run: async (
    context,
    { map, set, split, number, boolean, parseJson: json, drop, phone, normalize, country, ...input },
    emit,
  ) => {
    const { importAction } = await import('../../runs/import.ts');
    const { runAction } = await import('../../runs/run.ts');
    const isUsual = phone.length === 0 && (normalize || country !== undefined);
    const phones = isUsual ? ['phone'] : phone;
    const mapping = { map, set, split, number, boolean, json, drop, phone: phones, country };
    return runAction(context, importAction(context, mapping), input, emit);
  },
  ...runView,
});
