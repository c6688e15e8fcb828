import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import { argument, choice, duration, flag, type Input, option, phone, phoneDoubt, repeated } from '../cli/params.ts';
import { usage } from '../base/errors.ts';

const params = {
  phone: argument('[phone]', 'the recipient, such as +12025550101'),
  name: argument('[template]', 'the name of an approved template'),
  to: option('--to <phone>', 'the recipient, in place of the argument'),
  template: option('--template <name>', 'the template, in place of the argument'),
  params: repeated('-p, --param <value>', "the value of the template's next variable"),
  allowEmpty: flag('--allow-empty', 'allow empty params'),
  again: flag('--again', 'send it even if the same was sent within 10 minutes'),
  retryUnsure: flag('--retry-unsure', 'send it even if the same may have been sent before'),
  wait: flag('--wait', 'wait for what becomes of the message: exit 12 if it fails, 13 if nothing comes'),
  waitFor: choice('--wait-for <state>', 'what --wait waits for (delivered)', ['delivered', 'read']),
  within: option('--within <duration>', 'how long --wait waits (30s)', duration),
} as const;

export const sendTemplate = command({
  name: 'send-template',
  summary: 'Send an approved template to one recipient',
  details: [
    'Through a pipe it prints the bare message_id. It makes exactly one call and never repeats it.',
    'With --wait it watches the events of the local sandbox, or those that bizmsg webhooks listen',
    'receives on this machine. With a live key, it asks before it sends the same message again within 10',
    'minutes (exit 11 without a terminal; --again sends it). A message that may have been sent already needs',
    '--retry-unsure.',
  ].join('\n'),
  params,
  examples: [
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
    'send-template --to +12025550101 --template welcome --profile local -o json',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --dry-run',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --wait',
  ],
  sample: 'msg_sandbox_73617ba99900000k',
  accepts: callOptions,
  changes: true,
  piped: 'id',
  instead: { '--allow-unsure': 'use --retry-unsure' },
  run: async (context, input, emit) => {
    checkWait(input);
    const body = await ordered(context, input);
    const client = await context.client();
    const send = () => client.call('sendTemplate', body, { again: input.again, retryUnsure: input.retryUnsure });
    if (!input.wait || context.given.dryRun) return { data: await send(), fault: undefined, shown: false };
    const { sendAndWait } = await import('./waiting/send-and-wait.ts');
    const { waitFor: goal = 'delivered', within = 30_000 } = input;
    return sendAndWait(context, { goal, within, emit }, send);
  },
  data: ({ data }) => data,
  view: ({ data, shown }, ui) => (shown ? '' : `${ui.done('Sent')} ${data.message_id}`),
  exit: ({ fault }) => fault ?? 'done',
});

function checkWait({ wait, waitFor, within }: Input<typeof params>): void {
  if (wait) return;
  if (waitFor !== undefined) throw usage('--wait-for says what --wait waits for', 'add --wait');
  if (within !== undefined) throw usage('--within says how long --wait waits', 'add --wait');
}

async function ordered(context: Context, input: Input<typeof params>) {
  const byFlag = input.to !== undefined || input.template !== undefined;
  if (byFlag && input.phone !== undefined) {
    throw usage('--to and --template do not go together with arguments', 'give both as arguments or both as options');
  }
  const to = phone(input.phone ?? input.to ?? (await context.ask('Recipient', '--to', phone)));
  const template = input.name ?? input.template ?? (await context.ask('Template', '--template'));
  doubt(context, to);
  return { to, template, params: input.params };
}

function doubt(context: Context, to: string): void {
  const message = phoneDoubt(to);
  if (message) context.note('phone-doubt', message);
}
