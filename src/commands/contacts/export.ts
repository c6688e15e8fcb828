import { streaming } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { CliError } from '../../base/errors.ts';
import { recordPages } from '../../cli/record-pages.ts';
import { listParams, queryOf } from '../lists.ts';
import { exportColumns } from './export-columns.ts';

export const exportContacts = streaming({
  name: 'export',
  summary: 'Print all contacts, page by page as they arrive',
  details: [
    'The format is tsv by default; -o csv, ndjson or json selects another. Rows have the columns of the first page',
    'with contacts; a note at the end lists the omitted fields, which --columns can add. ndjson and json keep',
    'every field. If a page fails, the contacts before it are printed and the exit code reports the failure.',
    '',
    'To import the contacts elsewhere, export them as ndjson. Or import the rows with --parse-json tags',
    '--parse-json attributes, because lists and objects are JSON in a cell. --drop id --drop created_at skips',
    'the fields that the service sets. The import undoes the escapes of TSV, and the apostrophe that CSV puts',
    'before a formula (--raw-formulas omits it).',
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
        yield [...columns.add(page.rows)];
      }
      yield [...columns.rest()];
    } finally {
      const omissions = columns.omissions();
      if (omissions !== undefined) note('left-out', omissions);
    }
    if (count === 0) note('empty', 'there are no contacts');
    return { count };
  },
  line: () => '',
  view: () => '',
});

function noList(): CliError {
  const hint = 'bizmsg contacts list shows the whole response';
  return new CliError('serviceFault', 'no-single-list', 'the response contains no single list of records', { hint });
}
