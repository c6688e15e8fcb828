import { command, type Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { type Input, option, required } from '../../cli/params.ts';
import type { EventName } from '../../contract/events.ts';
import { Mismatch, isRecord } from '../../contract/readers.ts';
import { usage } from '../../base/errors.ts';
import { jsonIn } from '../body.ts';
import { inOurWords } from './refusals.ts';
import { eventLine, eventNamed, eventNames, eventRow } from './trigger/event.ts';
import { fieldsIn, flags, flagsOf } from './trigger/flags.ts';

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
