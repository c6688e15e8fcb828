import { command, type Context } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import {
  argument,
  chosen,
  duration,
  flag,
  type Input,
  option,
  optionalValue,
  orEmpty,
  repeated,
} from '../cli/params.ts';
import { CliError, usage } from '../base/errors.ts';
import { profileOption, shellQuote } from '../base/shell-quote.ts';
import type { BodyOf } from '../contract/endpoints.ts';
import { readPhone } from '../contract/phone.ts';

export const againFlag = flag('--again', 'send it even if the person has just got it, or may have got it before');

const params = {
  phone: argument('[phone]', 'the recipient, such as +12025550101'),
  template: argument('[template]', 'the name of an approved template'),
  params: orEmpty(repeated('-p, --param <value>', "the value of the template's next variable", paramText)),
  again: againFlag,
  wait: optionalValue(
    '--wait [=state]',
    'wait until it is delivered (--wait=read: read), fails (exit 12), or the time is up (exit 13)',
    'delivered',
    (text) => chosen(text, ['delivered', 'read']),
  ),
  within: option('--within <duration>', 'with --wait: how long to wait (default: 30s)', duration),
} as const;

export const sendTemplate = command({
  name: 'send-template',
  summary: 'Send an approved template to one person',
  details: [
    'On a terminal it asks for what is missing. In a pipe it prints only the message_id. It repeats the request only if',
    'the service certainly did not act. --wait watches the events of the local sandbox, or those that bizmsg webhooks',
    'listen receives on this machine. A live message that was sent within 10 minutes, or to which no answer came, is',
    'sent again only after a question, or with --again.',
  ].join('\n'),
  params,
  examples: [
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
    'send-template +12025550101 welcome --profile local -o json',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --dry-run',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --wait',
  ],
  sample: 'msg_sandbox_73617ba99900000k',
  accepts: callOptions,
  changes: true,
  piped: 'id',
  run: async (context, input, emit) => {
    checkWait(input);
    const { knownSecrets, refuseKeys } = await import('../session/secrets.ts');
    refuseKeys(context.host.argv, await knownSecrets(context));
    const body = await messageBody(context, input);
    if (await hasExcludeFile(context)) await (await import('./excluded.ts')).refuseExcluded(context, body.to);
    const exchange = (await context.client()).exchange('sendTemplate', body);
    const { again } = input;
    const send = () =>
      context.sendOnce(exchange, { again }).catch(async (error: unknown) => {
        throw await withSuggestion(context, body.template, error);
      });
    const { wait: goal } = input;
    if (goal === undefined || context.given.dryRun) return { data: await send(), fault: undefined, shown: false };
    const { sendAndWait } = await import('./waiting/send-and-wait.ts');
    return sendAndWait(context, { goal, within: input.within ?? 30_000, emit }, send);
  },
  data: ({ data }) => data,
  view: ({ data, shown }, ui) => (shown ? '' : `${ui.done('Sent')} ${data.message_id}`),
  exit: ({ fault }) => fault ?? 'done',
});

/** Most callers have none, and reading it would delay every message. */
async function hasExcludeFile(context: Context): Promise<boolean> {
  const caller = await callerOf(context);
  return caller.kind !== 'local' && caller.excludeFrom !== undefined;
}

async function callerOf(context: Context) {
  const { currentCaller } = await import('../session/caller.ts');
  return currentCaller(context);
}

type Message = BodyOf<'sendTemplate'>;

function checkWait({ wait, within }: Input<typeof params>): void {
  if (wait === undefined && within !== undefined) throw usage('--within needs --wait', 'add --wait');
}

async function messageBody(context: Context, input: Input<typeof params>): Promise<Message> {
  const { phone: typed, template, params } = input;
  const to = typed === undefined ? undefined : await recipient(context, input);
  if (template !== undefined) await refuseNamed(context, template, params);
  const isWhole = to !== undefined && template !== undefined && !(await lacksParams(context, template, params));
  if (!isWhole) {
    // A person is not asked for a message that cannot be sent.
    if (context.interactive) await callerOf(context);
    return (await prompts()).askForMessage(context, { to, template, params });
  }
  const message = { to, template, params: [...params] };
  if (context.given.dryRun) await (await prompts()).noteText(context, message);
  return message;
}

/** The phone of the recipient, unless the words show that it was not meant as one argument. */
async function recipient(context: Context, { phone = '', template = '' }: Input<typeof params>): Promise<string> {
  const number = await readPhone(phone);
  if (typeof number === 'string') return number;
  if (/^[+\d(]/.test(phone) && /^[\d().-]+$/.test(template))
    throw usage(`"${phone}" is not a phone number`, `quote the phone: ${shellQuote(`${phone} ${template}`)}`);
  if (template.startsWith('+') && typeof (await readPhone(template)) === 'string') {
    const right = `bizmsg send-template ${shellQuote(template)} ${shellQuote(phone)}`;
    throw usage(`"${phone}" is not a phone number`, `the phone comes first, then the template: ${right}`);
  }
  return (await import('../cli/phones.ts')).typedPhone(context, phone);
}

/** A param has no name, but may be typed with that of its variable. */
async function refuseNamed(context: Context, template: string, params: readonly string[]): Promise<void> {
  const named = params.flatMap((param) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(param) ?? [];
    return name === undefined || value === undefined ? [] : [{ param, name, value }];
  });
  if (named.length === 0) return;
  const { seenTemplates } = await import('../cli/seen-templates.ts');
  const seen = seenTemplates(context).find(({ name }) => name === template);
  const found = seen ?? (await (await prompts()).listedTemplates(context)).find(({ name }) => name === template);
  const wrong = named.find(({ name }) => found?.variables?.includes(name));
  if (wrong)
    throw usage(
      `-p ${shellQuote(wrong.param)} would send "${wrong.param}": the values are given in order, without names`,
      `for the variable ${wrong.name}: -p ${shellQuote(wrong.value)}`,
    );
}

/** A single message has no columns, whose names begin with a colon in a batch. */
function paramText(text: string): string {
  if (!text.startsWith(':')) return text;
  if (text.startsWith('::')) return text.slice(1);
  throw usage(
    `"${text}" is the name of a column, and a single message has none`,
    `to send the text: -p ${shellQuote(`:${text}`)}`,
  );
}

/** Whether a person can be asked for the variables that the template had when it was listed last. */
async function lacksParams(context: Context, template: string, params: readonly string[]): Promise<boolean> {
  if (!context.interactive) return false;
  const { seenTemplates } = await import('../cli/seen-templates.ts');
  const seen = seenTemplates(context).find(({ name }) => name === template);
  return (seen?.variables ?? []).length > params.length;
}

async function prompts() {
  return import('./message-prompts.ts');
}

/** A template that is not there may be mistyped, and a rejected message may lack a variable. */
async function withSuggestion(context: Context, template: string, error: unknown): Promise<unknown> {
  if (!(error instanceof CliError)) return error;
  if (error.status === 400 && error.hint === undefined) {
    const show = `bizmsg templates show ${shellQuote(template)}${profileOption(context.given.profile)}`;
    return error.withHint(`${show} shows the variables: pass one -p for each`);
  }
  if (error.status !== 404) return error;
  const [{ seenTemplates }, { unknownTemplateHint }] = await Promise.all([
    import('../cli/seen-templates.ts'),
    import('../cli/templates.ts'),
  ]);
  const names = seenTemplates(context).map(({ name }) => name);
  return error.withHint(unknownTemplateHint(context, template, names));
}
