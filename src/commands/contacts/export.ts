import { streaming } from '../../cli/command.ts';
import type { Context } from '../../cli/command.ts';
import { calling } from '../../cli/globals.ts';
import { CliError, usage } from '../../errors.ts';
import { cell, columnsOf, pick, valueAt } from '../../terminal/rows.ts';
import type { Row } from '../../terminal/rows.ts';
import { listParams, queryOf, recordPages } from '../listing.ts';

export const exportContacts = streaming({
  name: 'export',
  summary: 'Print all contacts of the account, page by page as they come',
  details: [
    'As rows with tabs between, or with -o as csv, ndjson or json. The columns of rows',
    'are those of the first page; a field that only a later page has is noted, and is',
    'in ndjson and json, which keep every field.',
  ].join('\n'),
  params: { urlParams: listParams.urlParams },
  examples: [
    'contacts export --profile local -o csv',
    'contacts export --profile local -o ndjson',
    'contacts export --profile local -o csv --columns phone,name',
    'contacts export --profile local -o ndjson | bizmsg contacts import - --format ndjson --profile local',
  ],
  sample: '{"id":"con_sandbox_1","phone":"+12025550111","name":"Grace Hopper",…}\n…',
  honours: calling.filter((name) => name !== 'query'),
  piped: 'rows',
  lists: true,
  async *run(context, input) {
    const { given, note } = context;
    const choose = chooser(given);
    let count = 0;
    for await (const page of recordPages(await context.client(), context, 'listContacts', queryOf(input))) {
      if ('whole' in page) throw noList();
      for (const row of choose.from(page.rows)) yield row;
      count += page.rows.length;
    }
    if (choose.missed.size > 0)
      note('left-out', `fields that the first page does not have were left out: ${[...choose.missed].join(', ')}`);
    if (count === 0) note('empty', 'there are no contacts');
    return { count };
  },
  line: (row) => Object.values(row).map(cell).join('  '),
  view: () => '',
});

/** What a row shows, of which a table's first lines have to tell all. */
function chooser({ output, json, columns: asked }: Context['given']) {
  const isWhole = json || output === 'json' || output === 'ndjson';
  const missed = new Set<string>();
  let [columns, isFirst] = [asked, true];
  return {
    missed,
    from(rows: readonly Row[]): readonly Row[] {
      if (isFirst && rows.length > 0) refuseUnknown(asked, rows);
      isFirst = false;
      if (!asked && isWhole) return rows;
      const known = (columns ??= columnsOf(rows));
      if (!asked) for (const name of columnsOf(rows)) if (!known.includes(name)) missed.add(name);
      return rows.map((row) => pick(row, known));
    },
  };
}

function refuseUnknown(columns: readonly string[] = [], rows: readonly Row[]): void {
  const unknown = columns.find((name) => rows.every((row) => valueAt(row, name) === undefined));
  if (unknown) throw usage(`there is no column "${unknown}"`, `these have ${columnsOf(rows).join(', ')}`);
}

function noList(): CliError {
  const hint = 'bizmsg contacts list shows the answer as it is';
  return new CliError('serviceFault', 'no-single-list', 'no single list of records is in the answer', { hint });
}
