import { command, type Context } from '../../cli/command.ts';
import { cell } from '../../cli/output/rows.ts';
import { typedPhone } from '../../cli/phones.ts';
import { chosen, type Input, knowing, names, option, required } from '../../cli/params.ts';
import { eventNames } from '../../contract/events.ts';
import { ask } from './control.ts';
import { subjectOf } from './lines.ts';

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
  tags: option('--tags <tags>', 'contact.created: the tags, comma-separated', names),
  amount: option('--amount <decimal>', 'order.paid: the amount (default: 10.00)'),
  currency: option('--currency <code>', 'order.paid: the currency, three letters (default: USD)'),
  provider: option('--provider <name>', 'order.paid: the payment provider (default: sandbox)'),
} as const;

export const triggerEvent = command({
  name: 'trigger',
  summary: 'Trigger an event',
  details: `The sandbox first changes its state as the service would, then sends the event to the webhooks like any
    other. Anything you omit is generated.`,
  params: {
    event: knowing(
      eventNames,
      required('<event>', `the event: ${eventNames.join(', ')}`, (text) => chosen(text, eventNames)),
    ),
    ...fieldOptions,
  },
  examples: [
    'sandbox trigger message.received --text Hello',
    'sandbox trigger message.failed --to +12025550101 --reason blocked',
    'sandbox trigger order.paid --amount 49.90 --currency EUR -o json',
  ],
  changes: true,
  run: async (context, { event, ...options }) => {
    const fields = await fieldsIn(context, options);
    const { events, ...ids } = await ask(context, 'trigger', { event, fields });
    return {
      ...ids,
      events: events.map(({ id, type, at, data }) => ({ id, type, at: new Date(at).toISOString(), data })),
    };
  },
  view: ({ events }, ui) =>
    events.map(({ id, type, at, data }) => ui.line([ui.time(at), type, id, cell(subjectOf(data))])).join('\n'),
});

/** The fields of the event; JSON leaves out the undefined ones. */
async function fieldsIn(
  context: Context,
  options: Input<typeof fieldOptions>,
): Promise<Readonly<Record<string, unknown>>> {
  const { reason: code, reasonText: message, ...others } = options;
  const fields: Record<string, unknown> = { ...others };
  for (const name of ['from', 'to', 'phone', 'contact'] as const) {
    const text = options[name];
    // A contact may also be named by its id.
    const isPhone = text !== undefined && (name !== 'contact' || text.startsWith('+'));
    if (isPhone) fields[name] = await typedPhone(context, text, `--${name}`);
  }
  return code === undefined && message === undefined ? fields : { ...fields, reason: { code, message } };
}
