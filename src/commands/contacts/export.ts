import { type Context, streaming } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { CliError, usage } from '../../base/errors.ts';
import { profileOption } from '../../base/shell-quote.ts';
import { columnsOf, pick, type Row, valueAt } from '../../cli/output/rows.ts';
import { recordPages } from '../../cli/record-pages.ts';
import { listParams, queryOf } from '../lists.ts';

export const exportContacts = streaming({
  name: 'export',
  summary: 'Print all contacts, page by page as they arrive',
  details: [
    'The format is tsv by default; -o csv, ndjson or json selects another. Rows have the columns of the first page',
    'with contacts; a note at the end lists the omitted fields, which --columns can add. ndjson and json keep',
    'every field. If a page fails, the contacts before it are printed and the exit code reports the failure.',
    '',
    'To import the contacts elsewhere, export them as ndjson. Or import the rows with --type tags=json',
    '--type attributes=json, because lists and objects are JSON in a cell. --keep phone,name,tags,attributes',
    'leaves out the fields that the service sets. The import undoes the escapes of TSV, and the apostrophe that',
    'CSV puts before a formula.',
  ].join('\n'),
  params: { urlParams: listParams.urlParams },
  examples: [
    'contacts export --profile local -o csv',
    'contacts export --profile local -o ndjson',
    'contacts export --profile local -o csv --columns phone,name',
    'contacts export --profile local -o ndjson | bizmsg contacts import - --profile local',
  ],
  sample:
    'id,phone,name,tags,attributes,created_at\ncon_sandbox_1,+12025550111,Grace Hopper,"[""customer""]",{},2026-…\n…',
  accepts: callOptions,
  piped: 'rows',
  lists: true,
  async *run(context, input) {
    const { given, note } = context;
    const columns = exportColumns(given);
    let count = 0;
    try {
      for await (const page of recordPages(await context.client(), context, 'listContacts', queryOf(input))) {
        if ('whole' in page) throw noList(given.profile);
        count += page.rows.length;
        yield columns.add(page.rows);
      }
      yield columns.rest();
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

function noList(profile: string | undefined): CliError {
  const hint = `bizmsg contacts list${profileOption(profile)} shows the whole response`;
  return new CliError('serviceFault', 'no-single-list', 'the response contains no single list of records', { hint });
}

/** Chooses the columns of an export, which the header line fixes before later rows are known. */
interface ExportColumns {
  /** Adds rows; returns the rows that can be printed now. */
  add(rows: readonly Row[]): readonly Row[];
  /** Returns the held rows; throws if a requested column occurred in no row. */
  rest(): readonly Row[];
  /** A note about the fields that were left out, if any. */
  omissions(): string | undefined;
}

/** Rows to hold while a requested column has not occurred yet. */
const maxHeld = 1_000;

function exportColumns({ output, columns: requested }: Context['given']): ExportColumns {
  const isWhole = output === 'json' || output === 'ndjson' || output === 'id';
  const [unseen, known, omitted] = [new Set(requested), new Set<string>(), new Set<string>()];
  let columns = requested;
  let held: readonly Row[] = [];
  let [count, cut, isHolding] = [0, 0, true];
  return {
    add(rows) {
      inspect(rows);
      held = [...held, ...rows.map((row) => withColumns(row))];
      isHolding &&= unseen.size > 0 && held.length < maxHeld;
      return isHolding ? [] : release();
    },
    rest() {
      const [unknown] = unseen;
      if (unknown !== undefined && count > 0)
        throw usage(`--columns: there is no column "${unknown}"`, `these have ${[...known].join(', ')}`);
      return release();
    },
    omissions() {
      if (omitted.size === 0 || !columns) return undefined;
      const names = `${omitted.size === 1 ? 'field' : 'fields'} ${[...omitted].join(', ')}`;
      const all = [...columns, ...omitted].join(',');
      return `${cut} of ${count} rows were printed without the ${names}, which the first page with contacts lacks; add --columns ${all}, or use -o ndjson`;
    },
  };

  function inspect(rows: readonly Row[]): void {
    count += rows.length;
    if (rows.length > 0 && !isWhole) columns ??= columnsOf(rows);
    for (const name of unseen) if (rows.some((row) => valueAt(row, name) !== undefined)) unseen.delete(name);
    if (unseen.size > 0) for (const name of columnsOf(rows)) known.add(name);
  }

  function withColumns(row: Row): Row {
    if (!columns) return row;
    const others = requested ? [] : Object.keys(row).filter((name) => !columns?.includes(name));
    if (others.length > 0) cut += 1;
    for (const name of others) omitted.add(name);
    return pick(row, columns);
  }

  function release(): readonly Row[] {
    const rows = held;
    held = [];
    return rows;
  }
}
