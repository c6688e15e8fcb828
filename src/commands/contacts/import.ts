import { usage } from '../../base/errors.ts';
import { importParams } from '../../batches/options.ts';
import { batchView } from '../../batches/view.ts';
import { command } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { argument } from '../../cli/params.ts';

export const importContacts = command({
  name: 'import',
  summary: 'Create a contact for every row of a file',
  details: `Each column becomes the field of the same name, unless --map renames it. Empty cells are left out. In a
    field name, a dot makes an object: attributes.city. Repeat the command as often as you like: each contact is
    created once.`,
  params: {
    file: argument('[file]', 'CSV, Excel (.xlsx), TSV, NDJSON or JSON; - is stdin'),
    ...importParams,
  },
  examples: [
    'contacts import people.csv --profile local',
    'contacts import people.csv --profile local --dry-run',
    'contacts import crm.csv --map Mobile=phone --country US --type tags=list:semicolon --profile local',
  ],
  accepts: callOptions,
  run: async (context, { file: typed, ...options }, emit) => {
    const isAsked = typed === undefined;
    if (isAsked && !context.interactive)
      throw usage('the file is missing', 'bizmsg contacts import <file>; it asks only on a terminal');
    const [{ sendFile }, { askForFile }] = await Promise.all([
      import('../../batches/send-file.ts'),
      import('../../batches/ask.ts'),
    ]);
    const file = typed ?? (await askForFile(context));
    return sendFile(context, { command: 'contacts import', template: '', file, isAsked, ...options }, emit);
  },
  ...batchView,
});
