import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { whole } from '../../cli/output/figures.ts';
import { cell } from '../../cli/output/rows.ts';
import { type Input, option, required } from '../../cli/params.ts';
import { type EventName, eventNames, isEventName } from '../../contract/events.ts';
import { Mismatch } from '../../contract/readers.ts';
import { ask } from './control.ts';
import { subjectOf } from './lines.ts';
import { unknownWord } from './names.ts';

/** One option for each field of an event; two for a reason. */
const fieldOptions = {
  from: option('--from <phone>', 'message.received: the sender (default: +12025550187)'),
  text: option('--text <text>', 'message.received: the text'),
  message: option(
    '--message <id>',
    'message.delivered, .read, .failed: the message (default: the latest that can still get this event)',
  ),
  to: option('--to <phone>', 'instead of --message: a new message to this number'),
  template: option(
    '--template <name>',
    'the template of the new message or campaign (default: the first approved one)',
  ),
  reason: option('--reason <code>', 'message.failed: the reason, as a code (default: undeliverable)'),
  reasonText: option('--reason-text <text>', 'message.failed: the reason, as text'),
  contact: option('--contact <phone|id>', 'flow.completed, order.paid: the contact (default: the first)'),
  flow: option('--flow <name>', 'flow.completed: the flow (default: Welcome)'),
  campaign: option('--campaign <name|id>', 'broadcast.completed: the campaign (default: the next)'),
  name: option('--name <name>', 'contact.created: the name; broadcast.completed: the name of a new campaign'),
  tag: option('--tag <tag>', 'broadcast.completed: only contacts with this tag'),
  phone: option('--phone <phone>', 'contact.created: a number that is not a contact yet (default: generated)'),
  tags: option('--tags <tags>', 'contact.created: the tags, comma-separated', tags),
  amount: option('--amount <decimal>', 'order.paid: the amount (default: 10.00)'),
  currency: option('--currency <code>', 'order.paid: the currency, three letters (default: USD)'),
  provider: option('--provider <name>', 'order.paid: the payment provider (default: sandbox)'),
} as const;

export const triggerEvent = command({
  name: 'trigger',
  summary: 'Trigger an event',
  details: [
    'The sandbox first changes its state as the service would, then sends the event to the webhooks like any',
    'other. Anything you omit is generated. A broadcast to more than 1,000 contacts asks first; a script needs',
    '--yes.',
  ].join('\n'),
  params: {
    event: required('<event>', `the event: ${eventNames.join(', ')}`, eventName),
    ...fieldOptions,
  },
  examples: [
    'sandbox trigger message.received --text Hello',
    'sandbox trigger message.failed --to +12025550101 --reason blocked',
    'sandbox trigger order.paid --amount 49.90 --currency EUR -o json',
  ],
  sample:
    '2026-05-01T12:00:05.000Z  contact.created  evt_5c1f2a9e…  con_sandbox_…\n2026-05-01T12:00:05.000Z  message.received  evt_5c1f2a9e…  msg_sandbox_…',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { event, ...options }) => {
    const fields = await fieldsFrom(event, await withPhones(context, options));
    if (event === 'broadcast.completed') await confirmAudience(context, fields['tag']);
    const { events, ...ids } = await ask(context, 'trigger', { event, fields });
    return {
      ...ids,
      events: events.map(({ id, type, at, data }) => ({ id, type, at: new Date(at).toISOString(), data })),
    };
  },
  view: ({ events }, ui) =>
    events.map(({ id, type, at, data }) => [ui.time(at), type, id, cell(subjectOf(data))].join('  ')).join('\n'),
});

const manyContacts = 1_000;

/** Each contact causes several events, which would keep a handler busy for minutes. */
async function confirmAudience(context: Context, tag: unknown): Promise<void> {
  const { contacts } = await ask(context, 'audience', typeof tag === 'string' ? { tag } : {});
  if (contacts <= manyContacts) return;
  await context.confirm(`Send the broadcast to ${whole(contacts)} contacts of the sandbox?`);
}

function eventName(text: string): EventName {
  if (isEventName(text)) return text;
  throw unknownWord(text, eventNames, 'not an event');
}

type FieldOptions = Input<typeof fieldOptions>;

/** A contact may also be named by its id. */
async function withPhones(context: Context, options: FieldOptions): Promise<FieldOptions> {
  const { typedPhone } = await import('../../cli/phones.ts');
  const read = async (name: 'from' | 'to' | 'phone' | 'contact') => {
    const text = options[name];
    return text === undefined ? undefined : typedPhone(context, text, `--${name}`);
  };
  const contact = options.contact?.startsWith('+') ? await read('contact') : options.contact;
  return { ...options, from: await read('from'), to: await read('to'), phone: await read('phone'), contact };
}

type Fields = Readonly<Record<string, unknown>>;

async function fieldsFrom(event: EventName, options: FieldOptions): Promise<Fields> {
  const { fieldNames, readFields } = await import('../../sandbox/trigger/fields.ts');
  const fields = fieldsIn(options);
  const known = fieldNames(event);
  const other = Object.keys(fields).find((name) => !known.includes(name));
  if (other !== undefined)
    throw usage(`${flagsOf([other])[0]} is not for ${event}`, `it takes ${flagsOf(known).join(', ')}`);
  try {
    return readFields(event, fields);
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    throw usage(`${flagsOf([error.at.split('/')[1] ?? ''])[0] ?? error.at} ${error.message}`);
  }
}

/** The fields whose options were given. */
function fieldsIn({ reason: code, reasonText: message, ...others }: FieldOptions): Fields {
  const reason = given({ code, message });
  return given({ ...others, reason: Object.keys(reason).length > 0 ? reason : undefined });
}

function given(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function flagsOf(fields: readonly string[]): readonly string[] {
  return fields.flatMap((field) => {
    if (field === 'reason') return ['--reason', '--reason-text'];
    return Object.hasOwn(fieldOptions, field) ? [`--${field}`] : [];
  });
}

function tags(text: string): readonly string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  if (tags.includes('')) throw usage(`"${text}" has an empty tag`, 'separate tags with commas: --tags vip,lead');
  return tags;
}
