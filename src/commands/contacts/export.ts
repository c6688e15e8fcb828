import { streaming } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { CliError } from '../../base/errors.ts';
import { cell } from '../../cli/output/rows.ts';
import { recordPages } from '../../cli/record-pages.ts';
import { listParams, queryOf } from '../lists.ts';
import { exportColumns } from './export-columns.ts';

export const exportContacts = streaming({
  name: 'export',
  summary: 'Print all contacts, page by page as they come',
  details: [
    'As tab-separated rows, or with -o as csv, ndjson or json. The columns of rows are those of the first',
    'page that has contacts; a note at the end names the fields left out, which --columns can ask for.',
    'ndjson and json keep every field. When a page fails, what came before it is printed, and the exit',
    'code says that it is not all.',
    '',
    'To import them again elsewhere, export as ndjson, or import the rows with --parse-json tags',
    '--parse-json attributes, since lists and objects are JSON in a cell. --drop id --drop created_at leaves',
    'out what the service makes itself. The import undoes the escapes of TSV, and the apostrophe that CSV',
    'puts before a formula, which --raw-formulas leaves out.',
  ].join('\n'),
  params: { urlParams: listParams.urlParams },
  examples: [
    'contacts export --profile local -o csv',
    'contacts export --profile local -o ndjson',
    'contacts export --profile local -o csv --columns phone,name',
    'contacts export --profile local -o ndjson | bizmsg contacts import - --format ndjson --profile local',
  ],
  sample:
    'id,phone,name,tags,attributes,created_at\ncon_sandbox_1,+12025550111,Grace Hopper,"[""customer""]",{},2026-…\n…',
  accepts: callOptions.filter((name) => name !== 'query'),
  piped: 'rows',
  lists: true,
  async *run(context, input) {
    const { given, note } = context;
    const columns = exportColumns(given);
    let count = 0;
    try {
      for await (const page of recordPages(await context.client(), context, 'listContacts', queryOf(input))) {
        if ('whole' in page) throw noList();
        count += page.rows.length;
        yield [...columns.shown(page.rows)];
      }
      yield [...columns.rest()];
    } finally {
      const left = columns.leftOut();
      if (left !== undefined) note('left-out', left);
    }
    if (count === 0) note('empty', 'there are no contacts');
    return { count };
  },
  line: (row) => Object.values(row).map(cell).join('  '),
  view: () => '',
});

function noList(): CliError {
  const hint = 'bizmsg contacts list shows the answer as it is';
  return new CliError('serviceFault', 'no-single-list', 'no single list of records is in the answer', { hint });
}
