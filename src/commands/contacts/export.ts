import { CliError, usage } from '../../base/errors.ts';
import { profileOption } from '../../base/shell-quote.ts';
import { streaming } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { columnsOf, pick, type Row, valueAt } from '../../cli/output/rows.ts';
import { recordPages } from '../../cli/record-pages.ts';
import { listParams, queryOf } from '../lists.ts';

export const exportContacts = streaming({
  name: 'export',
  summary: 'Print all contacts, page by page as they arrive',
  details: `The format is tsv by default; -o csv, ndjson or json selects another. Rows have the columns of the first
    page with contacts; a note at the end lists the omitted fields, which --columns can add. ndjson and json keep
    every field. If a page fails, the contacts before it are printed and the exit code reports the failure.

    To import the contacts elsewhere, export them as ndjson. Or import the rows with --type tags=json --type
    attributes=json, because lists and objects are JSON in a cell. --keep phone,name,tags,attributes leaves out the
    fields that the service sets. The import undoes the escapes of TSV, and the apostrophe that CSV puts before a
    formula.`,
  params: { urlParams: listParams.urlParams },
  examples: [
    'contacts export --profile local -o csv',
    'contacts export --profile local -o ndjson',
    'contacts export --profile local -o csv --columns phone,name',
    'contacts export --profile local -o ndjson | bizmsg contacts import - --profile local',
  ],
  accepts: callOptions,
  piped: 'rows',
  lists: true,
  async *run(context, input) {
    const { given, note } = context;
    const isCut = given.columns === undefined && !/^(?:json|ndjson|id)$/.test(given.output ?? '');
    const [unseen, omitted] = [new Set(given.columns), new Set<string>()];
    let columns: readonly string[] | undefined;
    let [count, cut] = [0, 0];
    try {
      for await (const page of recordPages(await context.client(), context, 'listContacts', queryOf(input))) {
        if ('whole' in page) throw noList(given.profile);
        const { rows } = page;
        count += rows.length;
        for (const name of unseen) if (rows.some((row) => valueAt(row, name) !== undefined)) unseen.delete(name);
        if (isCut && rows.length > 0) columns ??= columnsOf(rows);
        const others = rows.map((row) => (columns ? namesBesides(columns, row) : []));
        cut += others.filter((names) => names.length > 0).length;
        for (const name of others.flat()) omitted.add(name);
        yield columns ? rows.map((row) => pick(row, columns ?? [])) : rows;
      }
    } finally {
      if (cut > 0) note('left-out', omissionText(`${cut} of ${count}`, columns ?? [], [...omitted]));
    }
    if (count === 0) note('empty', 'there are no contacts');
    const [missing] = unseen;
    if (count > 0 && missing !== undefined)
      throw usage(`--columns: there is no column "${missing}"`, 'bizmsg contacts list -o json shows the fields');
    return { count };
  },
  line: () => '',
  view: () => '',
});

function noList(profile: string | undefined): CliError {
  const hint = `bizmsg contacts list${profileOption(profile)} shows the whole response`;
  return new CliError('serviceFault', 'no-single-list', 'the response contains no single list of records', { hint });
}

function namesBesides(columns: readonly string[], row: Row): readonly string[] {
  return Object.keys(row).filter((name) => !columns.includes(name));
}

function omissionText(rows: string, columns: readonly string[], omitted: readonly string[]): string {
  const names = `${omitted.length === 1 ? 'field' : 'fields'} ${omitted.join(', ')}`;
  const all = [...columns, ...omitted].join(',');
  return `${rows} rows were printed without the ${names}, which the first page with contacts lacks; add --columns ${all}, or use -o ndjson`;
}
