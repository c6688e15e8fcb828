import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { command, type Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, isRow, type Row } from '../../cli/output/rows.ts';
import { type Input, option, phone, required } from '../../cli/params.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import { isRecord, Mismatch } from '../../contract/readers.ts';
import { jsonIn } from '../body.ts';
import { inOurWords } from './control-errors.ts';

function eventNamed(text: string): EventName {
  if (isEventName(text)) return text;
  const near = suggest(text, eventNames);
  throw usage(`"${text}" is not an event`, near ? `did you mean ${near}?` : `the events are ${eventNames.join(', ')}`);
}

/** An event of the sandbox, as a row. */
function eventRow({ id, type, at, data }: Row) {
  return { id, type, at: new Date(Number(at)).toISOString(), data };
}

/** On one line: when, what, and what it is about. */
function eventLine({ id, type, at, data }: Row): string {
  return [cell(at).slice(11, 23), type, id, isRow(data) ? aboutOf(data) : undefined].map(cell).join('  ');
}

function aboutOf(data: Row): unknown {
  return data['message_id'] ?? data['order_id'] ?? data['flow_run_id'] ?? data['campaign_id'] ?? data['id'];
}

/** A flag for each field that an event may have; two for a reason. */
const flags = {
  from: option('--from <phone>', 'message.received: who wrote (+12025550187)', phone),
  text: option('--text <text>', 'message.received: what was written'),
  message: option(
    '--message <id>',
    'message.delivered, .read, .failed: which message (the latest that can still get it)',
  ),
  to: option('--to <phone>', 'in place of --message: a new message to this number', phone),
  template: option('--template <name>', 'the template of the new message or campaign (the first approved one)'),
  reason: option('--reason <code>', 'message.failed: why, as a code (undeliverable)'),
  reasonText: option('--reason-text <text>', 'message.failed: why, in words'),
  contact: option('--contact <phone|id>', 'flow.completed, order.paid: whose it is (the first contact)'),
  flow: option('--flow <name>', 'flow.completed: which flow (Welcome)'),
  campaign: option('--campaign <name|id>', 'broadcast.completed: which campaign (the first that is not COMPLETED)'),
  name: option('--name <name>', 'contact.created: its name; broadcast.completed: the name of a new campaign'),
  tag: option('--tag <tag>', 'broadcast.completed: only to contacts with this tag'),
  phone: option('--phone <phone>', 'contact.created: a number that is no contact yet (a made-up one)', phone),
  tags: option('--tags <tags>', 'contact.created: its tags, with commas between', tags),
  amount: option('--amount <decimal>', 'order.paid: how much (10.00)'),
  currency: option('--currency <code>', 'order.paid: three letters (USD)'),
  provider: option('--provider <name>', 'order.paid: who took the payment (sandbox)'),
} as const;

type Given = Input<typeof flags>;

/** Of the flags that were given, the fields. */
function fieldsIn({ reason, reasonText, ...others }: Given): Readonly<Record<string, unknown>> {
  const why = Object.entries({ code: reason, message: reasonText }).filter(isGiven);
  const plain = Object.entries(others).filter(isGiven);
  return Object.fromEntries([...plain, ...(why.length > 0 ? [['reason', Object.fromEntries(why)] as const] : [])]);
}

/** The flags that these fields have. */
function flagsOf(fields: readonly string[]): readonly string[] {
  return fields.flatMap((field) => {
    if (field === 'reason') return ['--reason', '--reason-text'];
    return Object.hasOwn(flags, field) ? [`--${field}`] : [];
  });
}

function isGiven([, value]: readonly [string, unknown]): boolean {
  return value !== undefined;
}

function tags(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  if (tags.includes('')) throw usage(`"${text}" has an empty tag`, 'use tags with commas between: --tags vip,lead');
  return tags;
}

export const triggerEvent = command({
  name: 'trigger',
  summary: 'Have an event happen in the sandbox, and what leads to it',
  details: [
    'The state changes first, as it would in the service, and then comes the event, which goes to webhooks',
    'as any other. What no option says, the sandbox makes up.',
  ].join('\n'),
  params: {
    event: required('<event>', `the event: ${eventNames.join(', ')}`, eventNamed),
    ...flags,
    data: option('--data <file>', 'a file with its fields as a JSON object, in place of the options, or - for stdin'),
  },
  examples: [
    'sandbox trigger message.received --text Hello',
    'sandbox trigger message.failed --to +12025550101 --reason blocked',
    'sandbox trigger order.paid --amount 49.90 --currency EUR -o json',
  ],
  sample:
    '12:00:05.000  contact.created  evt_5c1f2a9e…  con_sandbox_5c1f2a9e…\n12:00:05.000  message.received  evt_5c1f2a9e…  msg_sandbox_5c1f2a9e…',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { event, data, ...given }) => {
    const fields = data === undefined ? await flagged(event, given) : await filed(context, event, data, given);
    const asked = (await context.sandbox()).trigger(event, fields);
    const { events, ...ids } = await inOurWords(asked, {
      flags: { 'give to ': 'give --to ', 'give name ': 'give --name ' },
    });
    return { ...ids, events: events.map(eventRow) };
  },
  view: ({ events }) => events.map(eventLine).join('\n'),
});

type Fields = Readonly<Record<string, unknown>>;

async function flagged(event: EventName, given: Input<typeof flags>): Promise<Fields> {
  const { fieldNames, readFields } = await import('../../sandbox/trigger/fields.ts');
  const fields = fieldsIn(given);
  const known = fieldNames(event);
  const other = Object.keys(fields).find((name) => !known.includes(name));
  if (other !== undefined)
    throw usage(`${flagsOf([other])[0]} is not for ${event}`, `which takes ${flagsOf(known).join(', ')}`);
  return readOrUsage(
    () => readFields(event, fields),
    (at) => flagsOf([at.split('/')[1] ?? ''])[0] ?? at,
  );
}

async function filed(context: Context, event: EventName, path: string, given: Input<typeof flags>): Promise<Fields> {
  const [extra] = flagsOf(Object.keys(fieldsIn(given)));
  if (extra !== undefined) throw usage(`--data and ${extra} exclude each other`, '--data has all of the fields');
  const { readFields, whyNotFields } = await import('../../sandbox/trigger/fields.ts');
  const where = path === '-' ? 'stdin' : path;
  const fields = jsonIn(await context.read(path), where);
  if (!isRecord(fields)) throw usage(`${where} is not a JSON object with fields of ${event}`);
  const wrong = whyNotFields(event, Object.keys(fields));
  if (wrong !== undefined) throw usage(wrong, `in ${where}`);
  return readOrUsage(
    () => readFields(event, fields),
    (at) => `${where}: ${at}`,
  );
}

function readOrUsage(read: () => Fields, named: (at: string) => string): Fields {
  try {
    return read();
  } catch (error) {
    if (error instanceof Mismatch) throw usage(`${named(error.at)} ${error.message}`);
    throw error;
  }
}
