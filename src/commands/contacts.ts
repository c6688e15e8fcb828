import { CliError, usage } from '../base/errors.ts';
import { profileOption } from '../base/shell-quote.ts';
import { command, type Context, lazyCommand, streaming } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { cell, columnsOf, isRow, pick, valueAt } from '../cli/output/rows.ts';
import { option, repeated } from '../cli/params.ts';
import { recordPages } from '../cli/record-pages.ts';
import { isRecord } from '../contract/readers.ts';
import { bodyField, jsonIn, nested } from './body.ts';
import { listing, listParams, listView, queryOf } from './lists.ts';

const listContacts = command({
  name: 'list',
  summary: 'List the contacts',
  params: listParams,
  examples: [
    'contacts list --profile local',
    'contacts list --profile local --all -o ndjson',
    'contacts list --profile local --columns id,phone --limit 2',
  ],
  accepts: callOptions,
  piped: 'rows',
  first: ['phone', 'name', 'id'],
  run: (context, input) => listing(context, 'listContacts', input),
  view: listView('contacts'),
});

const createContact = command({
  name: 'create',
  summary: 'Create a contact',
  details: `Any field name is accepted; the service decides which ones it keeps. A dot in a key makes an object: --set
    attributes.city=Oslo sends {"attributes":{"city":"Oslo"}}.`,
  params: {
    set: repeated('--set <key=value>', 'a field of the contact, as text', bodyField),
    setJson: repeated('--set-json <key=json>', 'a field of the contact, as JSON', bodyField),
    input: option('--input <file>', 'a file with the whole body, or - for stdin'),
  },
  examples: [
    'contacts create --set phone=+12025550142 --set name=Ada --profile local',
    'contacts create --set phone=+12025550143 --set-json tags=\'["vip"]\' --set attributes.city=Oslo --profile local',
  ],
  accepts: callOptions,
  changes: true,
  piped: 'rows',
  run: async (context, { set, setJson, input }) => {
    const fields = [...set, ...setJson.map(({ key, value }) => ({ key, value: jsonField(key, value ?? '[]') }))];
    if (input !== undefined && fields.length > 0)
      throw usage('--input is the whole body and cannot be combined with --set', 'put all fields into the file');
    if (input === undefined && fields.length === 0)
      throw usage('a contact needs at least one field', 'such as --set phone=+12025550142');
    const typed = input === undefined ? nested(fields) : jsonIn(await context.read(input), '--input');
    const body = await withPhone(context, typed);
    const exchange = (await context.client()).exchange('createContact', body);
    const contact = await context.sendOnce(exchange);
    // The API's document does not show the status of a new contact, so 200 may mean a new one, too.
    const mayBeOld = exchange.status === 200;
    if (mayBeOld) context.note('exists', 'the service answered 200, not 201: the contact may have been there before');
    return { contact, mayBeOld };
  },
  data: ({ contact }) => contact,
  view: ({ contact, mayBeOld }, ui) =>
    [mayBeOld ? ui.done('Exists', 'yellow') : ui.done('Created'), ...lines(contact)].join('\n'),
});

/** The phone is read as an import reads it. */
async function withPhone(context: Context, body: unknown): Promise<unknown> {
  if (!isRecord(body) || typeof body['phone'] !== 'string') return body;
  return { ...body, phone: await (await import('../cli/phones.ts')).typedPhone(context, body['phone'], 'phone') };
}

function jsonField(key: readonly string[], text: string): unknown {
  return jsonIn(
    text,
    `--set-json: ${key.join('.')}`,
    'for a text use --set; in a list, quote the texts: tags=\'["vip"]\'',
  );
}

function lines(created: unknown): readonly string[] {
  return isRow(created) ? Object.entries(created).map(([key, value]) => `  ${key}: ${cell(value)}`) : [];
}

const exportContacts = streaming({
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
    let count = 0;
    try {
      for await (const page of recordPages(await context.client(), context, 'listContacts', queryOf(input))) {
        if ('whole' in page) throw noList(given.profile);
        const { rows } = page;
        count += rows.length;
        for (const name of unseen) if (rows.some((row) => valueAt(row, name) !== undefined)) unseen.delete(name);
        if (isCut && rows.length > 0) columns ??= columnsOf(rows);
        for (const name of columns ? columnsOf(rows) : []) if (!columns?.includes(name)) omitted.add(name);
        yield columns ? rows.map((row) => pick(row, columns ?? [])) : rows;
      }
    } finally {
      if (omitted.size > 0) note('left-out', omissionText(columns ?? [], [...omitted]));
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

function omissionText(columns: readonly string[], omitted: readonly string[]): string {
  const all = [...columns, ...omitted].join(',');
  return `later pages have more fields: ${omitted.join(', ')}; add --columns ${all}, or use -o ndjson`;
}

export const contactsCommands = [
  listContacts,
  createContact,
  lazyCommand(
    'import',
    'Create a contact for every row of a file',
    async () => (await import('./send-file.ts')).importContacts,
  ),
  exportContacts,
];
