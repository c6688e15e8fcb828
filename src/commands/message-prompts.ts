import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { notEmpty, sayCommand, textParam, variableText } from '../batches/ask.ts';
import { interruptedEarly } from '../batches/stop.ts';
import type { Context } from '../cli/command.ts';
import { askForPhone } from '../cli/phones.ts';
import { seenTemplates } from '../cli/seen.ts';
import { doubtAbout, listedTemplates, rendered, type TemplateFacts } from '../cli/templates.ts';
import type { BodyOf } from '../contract/endpoints.ts';
import { currentCaller } from '../session/caller.ts';

/** The parts of a message that were typed. */
interface MessageParts {
  /** The phone, as typed and in its international form. */
  readonly phone: string | undefined;
  readonly to: string | undefined;
  readonly template: string | undefined;
  readonly params: readonly string[];
}

/** Completes a message with the answers of a person; notes the text of one that is complete, in a dry run. */
export async function completed(context: Context, typed: MessageParts): Promise<BodyOf<'sendTemplate'>> {
  const { to, template, params } = typed;
  if (template !== undefined) await refuseNamed(context, template, params);
  if (to === undefined || template === undefined || lacksParams(context, template, params))
    return asked(context, typed);
  if (context.given.dryRun) {
    const list = await listedTemplates(context, context.tryLookup);
    noteDoubt(context, list, template, params);
    const text = textOf(list, template, params);
    if (text !== undefined) context.note('message', `the message: "${text}"`);
  }
  return { to, template, params: [...params] };
}

/** A param has no name, but may be typed with that of its variable. */
async function refuseNamed(context: Context, template: string, params: readonly string[]): Promise<void> {
  const named = params.map((param) => /^(\w+)=(.*)$/s.exec(param)).filter((match) => match !== null);
  if (named.length === 0) return;
  const isMeant = ({ name }: { readonly name: string }) => name === template;
  const facts =
    seenTemplates(context).find(isMeant) ?? (await listedTemplates(context, context.tryLookup)).find(isMeant);
  for (const [param, name = '', value = ''] of named)
    if (facts?.variables?.includes(name))
      throw usage(
        `-p ${shellQuote(param)} would send "${param}": the values are given in order, without names`,
        `for the variable ${name}: -p ${shellQuote(value)}`,
      );
}

/** Whether a person can be asked for the variables that the template had when it was listed last. */
function lacksParams(context: Context, template: string, params: readonly string[]): boolean {
  if (!context.interactive) return false;
  const { variables = [] } = seenTemplates(context).find(({ name }) => name === template) ?? {};
  return variables.length > params.length;
}

/** Asks for the missing parts of a message, shows it, and asks once whether to send it. */
async function asked(context: Context, typed: MessageParts): Promise<BodyOf<'sendTemplate'>> {
  const { interactive, host, given, reporter } = context;
  // A person is not asked for a message that cannot be sent.
  if (interactive) currentCaller(context);
  const to = typed.to ?? (await askForPhone(context, 'Recipient', 'the argument [phone]'));
  const list = interactive ? await listedTemplates(context, context.tryLookup) : [];
  // Prompts would end without a word.
  if (host.signal.aborted) throw interruptedEarly(host.signal.reason);
  const template = typed.template ?? (await askForTemplate(context, list));
  const { text, variables = [] } = list.find(({ name }) => name === template) ?? {};
  if (text !== undefined) reporter.say(`${template} · ${text}`);
  const params = [...typed.params];
  for (const [at, name] of variables.entries())
    if (at >= typed.params.length) params.push(await context.ask(variableText(name, at), '--param', notEmpty));
  noteDoubt(context, list, template, params);
  reporter.say(`To ${to}: ${textOf(list, template, params) ?? [template, ...params].join(', ')}`);
  const answers = params.slice(typed.params.length).map(textParam);
  sayCommand(context, {
    command: 'send-template',
    names: [to, template],
    typed: [typed.phone, typed.template],
    options: answers.flatMap((param) => ['-p', param]),
  });
  if (!given.dryRun) await context.confirm('Send it?');
  return { to, template, params };
}

function noteDoubt({ note }: Context, list: readonly TemplateFacts[], template: string, params: readonly string[]) {
  const doubt = doubtAbout(list, template, params.length);
  if (doubt !== undefined) note('template', doubt);
}

function textOf(list: readonly TemplateFacts[], template: string, params: readonly string[]): string | undefined {
  const facts = list.find(({ name }) => name === template);
  return facts && rendered(facts, params);
}

export async function askForTemplate(context: Context, list: readonly TemplateFacts[]): Promise<string> {
  if (list.length === 0) return context.ask('Template', 'the argument [template]');
  const choices = list.map(({ name, status = 'approved', text }) => ({
    name: [name, /^approved$/i.test(status) ? '' : ` (${status})`, text === undefined ? '' : ` · ${text}`].join(''),
    short: name,
    template: name,
  }));
  return (await context.choose('Template', choices)).template;
}
