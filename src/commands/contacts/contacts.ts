import { usage } from '../../base/errors.ts';
import { command, type Context, lazyCommand } from '../../cli/command.ts';
import { callOptions } from '../../cli/globals.ts';
import { cell, isRow } from '../../cli/output/rows.ts';
import { option, repeated } from '../../cli/params.ts';
import { isRecord } from '../../contract/readers.ts';
import { bodyField, jsonIn, nested } from '../body.ts';
import { listing, listParams, listView } from '../lists.ts';
import { exportContacts } from './export.ts';

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
  const { typedPhone } = await import('../../cli/phones.ts');
  return { ...body, phone: await typedPhone(context, body['phone'], 'phone') };
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

export const contactsCommands = [
  listContacts,
  createContact,
  lazyCommand(
    'import',
    'Create a contact for every row of a file',
    async () => (await import('./import.ts')).importContacts,
  ),
  exportContacts,
];
