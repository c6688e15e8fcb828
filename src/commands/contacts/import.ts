import { command } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { required } from '../../cli/params.ts';
import { importParams } from '../../runs/options.ts';
import { runView } from '../../runs/result.ts';

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: [
    'Each column becomes the field of the same name, unless --map renames it. --keep takes only the columns that it',
    'names, the mapped ones and the phone; empty cells are omitted. In a field name, a dot makes an object:',
    'attributes.city. Repeat the command after an interruption: it imports the rest. Rows imported within 30 days',
    'are skipped. Failed rows go to people.failed.csv beside people.csv.',
  ].join('\n'),
  params: {
    file: required('<file>', 'CSV, .xlsx, TSV, NDJSON or a JSON array; - is stdin'),
    ...importParams,
  },
  examples: [
    'contacts import people.csv --profile local',
    'contacts import people.csv --profile local --dry-run',
    'contacts import crm.csv --map Mobile=phone --country US --type tags=list:semicolon --profile local',
  ],
  sample: 'Done (simulated): 2 of 2 rows imported in 0.3 s',
  accepts: callOptions,
  piped: 'text',
  run: async (context, { map, set, type, keep, country, ...input }, emit) => {
    const [{ importAction }, { runAction }, { withDefaults }] = await Promise.all([
      import('../../runs/import.ts'),
      import('../../runs/run.ts'),
      import('../../runs/defaults.ts'),
    ]);
    const { encoding, origin, ...settings } = withDefaults(context, { country, encoding: input.encoding });
    const action = { ...importAction(context, { map, set, type, keep, country: settings.country }), origin };
    return runAction(context, action, { ...input, encoding }, emit);
  },
  ...runView,
});
