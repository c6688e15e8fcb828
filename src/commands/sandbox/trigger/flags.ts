import { type Input, option } from '../../../cli/params.ts';
import { phone } from '../../../cli/values.ts';
import { usage } from '../../../base/errors.ts';

/** A flag for each field that an event may have; two for a reason. */
export const flags = {
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
export function fieldsIn({ reason, reasonText, ...others }: Given): Readonly<Record<string, unknown>> {
  const why = Object.entries({ code: reason, message: reasonText }).filter(isGiven);
  const plain = Object.entries(others).filter(isGiven);
  return Object.fromEntries([...plain, ...(why.length > 0 ? [['reason', Object.fromEntries(why)] as const] : [])]);
}

/** The flags that these fields have. */
export function flagsOf(fields: readonly string[]): readonly string[] {
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
