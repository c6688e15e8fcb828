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
import { CliError, unsafe, usage } from '../base/errors.ts';
import { profileOption, shellQuote } from '../base/shell-quote.ts';
import type { BodyOf } from '../contract/endpoints.ts';
import { readPhone } from '../contract/phone.ts';
import { currentCaller } from '../session/caller.ts';

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
  details: `On a terminal it asks for what is missing. In a pipe it prints only the message_id. It repeats the request
    only if the service certainly did not act. --wait watches the events of the local sandbox, or those that bizmsg
    webhooks listen receives on this machine. A live message that was sent within 10 minutes, or to which no answer
    came, is sent again only after a question, or with --again.`,
  params,
  examples: [
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
    'send-template +12025550101 welcome --profile local -o json',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --dry-run',
    'send-template +12025550101 order_update -p Ada -p A-1042 --profile local --wait',
  ],
  accepts: callOptions,
  changes: true,
  piped: 'id',
  run: async (context, input, emit) => {
    const { wait: goal, within, again } = input;
    if (goal === undefined && within !== undefined) throw usage('--within needs --wait', 'add --wait');
    const { knownSecrets, refuseKeys } = await import('../session/secrets.ts');
    refuseKeys(context.host.argv, await knownSecrets(context));
    const body = await messageBody(context, input);
    await refuseExcluded(context, body.to);
    const exchange = (await context.client()).exchange('sendTemplate', body);
    const send = () =>
      context.sendOnce(exchange, { again }).catch(async (error: unknown) => {
        throw await withSuggestion(context, body.template, error);
      });
    if (goal === undefined || context.given.dryRun) return { data: await send(), fault: undefined, shown: false };
    const { sendAndWait } = await import('./waiting/send-and-wait.ts');
    return sendAndWait(context, { goal, within: within ?? 30_000, emit }, send);
  },
  data: ({ data }) => data,
  view: ({ data, shown }, ui) => (shown ? '' : `${ui.done('Sent')} ${data.message_id}`),
  exit: ({ fault }) => fault ?? 'done',
});

async function messageBody(context: Context, input: Input<typeof params>): Promise<BodyOf<'sendTemplate'>> {
  const { phone, template, params } = input;
  const to = phone === undefined ? undefined : await recipient(context, phone, template);
  const mayBeNamed = params.some((param) => /^\w+=/.test(param));
  const isWhole = to !== undefined && template !== undefined && !mayBeNamed;
  // A script loads nothing more.
  if (isWhole && !context.interactive && !context.given.dryRun) return { to, template, params: [...params] };
  return (await import('./message-prompts.ts')).completed(context, { phone, to, template, params });
}

/** The phone of the recipient, unless the words show that it was not meant as one argument. */
async function recipient(context: Context, phone: string, template = ''): Promise<string> {
  const number = await readPhone(phone);
  if (typeof number === 'string') return number;
  if (/^[+\d(]/.test(phone) && /^[\d().-]+$/.test(template))
    throw usage(`"${phone}" is not a phone number`, `quote the phone: ${shellQuote(`${phone} ${template}`)}`);
  return (await import('../cli/phones.ts')).typedPhone(context, phone);
}

/** Refuses a single message to a phone that the profile never messages; with such a list, also one to an unknown phone. */
export async function refuseExcluded(context: Context, to: string | undefined): Promise<void> {
  const caller = currentCaller(context);
  if (caller.kind === 'local' || caller.excludeFrom === undefined) return;
  const { excludeFrom: file, country, encoding, profile } = caller;
  if (to === undefined)
    throw unsafe(
      'recipient-unknown',
      `this request may send a message, and it is not known to whom, so ${file} cannot be applied`,
      'nothing was sent; send-template sends a message, and api one with "to", "template" and "params" to its path',
    );
  const { readExcluded } = await import('../batches/exclude.ts');
  const phones = await readExcluded(context, [file], { country, encoding });
  if (!phones.includes(to)) return;
  throw unsafe(
    'excluded',
    `${to} is in ${file}, whose phones the profile never messages`,
    `nothing was sent; remove it there, or bizmsg profiles set ${profile} --exclude-from none`,
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

/** A template that is not there may be mistyped, and a rejected message may lack a variable. */
async function withSuggestion(context: Context, template: string, error: unknown): Promise<unknown> {
  if (!(error instanceof CliError)) return error;
  if (error.status === 400 && error.hint === undefined) {
    const show = `bizmsg templates show ${shellQuote(template)}${profileOption(context.given.profile)}`;
    return error.withHint(`${show} shows the variables: pass one -p for each`);
  }
  if (error.status !== 404) return error;
  const [{ seenTemplates }, { unknownTemplateHint }] = await Promise.all([
    import('../cli/seen.ts'),
    import('../cli/templates.ts'),
  ]);
  const names = seenTemplates(context).map(({ name }) => name);
  return error.withHint(unknownTemplateHint(context, template, names));
}
