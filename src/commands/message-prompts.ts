import { usage } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { rememberTemplates } from '../cli/seen-templates.ts';
import { doubtAbout, rendered, type TemplateFacts, templatesOf } from '../cli/templates.ts';
import type { BodyOf } from '../contract/endpoints.ts';
import { interruptedEarly } from '../batches/stop.ts';
import { askForPhone } from '../cli/phones.ts';

/** The parts of a message that were typed. */
export interface MessageParts {
  readonly to: string | undefined;
  readonly template: string | undefined;
  readonly params: readonly string[];
}

/** Asks for the missing parts of a message, shows it, and asks once whether to send it. */
export async function askForMessage(context: Context, given: MessageParts): Promise<BodyOf<'sendTemplate'>> {
  const to = given.to ?? (await askForPhone(context, 'Recipient', 'the argument [phone]'));
  const list = context.interactive ? await listedTemplates(context) : [];
  // Prompts would end without a word.
  const { signal } = context.host;
  if (signal.aborted) throw interruptedEarly(signal.reason);
  const template = given.template ?? (await askForTemplate(context, list));
  const found = list.find(({ name }) => name === template);
  if (given.template !== undefined && found?.text !== undefined) context.reporter.say(`${template} · ${found.text}`);
  const params = [...given.params, ...(await askForParams(context, found, given))];
  const text = found && rendered(found, params);
  const doubt = doubtAbout(list, template, params.length);
  if (doubt !== undefined) context.note('template', doubt);
  context.reporter.say(`To ${to}: ${text ?? [template, ...params].join(', ')}`);
  if (!context.given.dryRun) await context.confirm('Send it?');
  return { to, template, params: [...params] };
}

/** Prints the text of a message that a dry run shows, if it is known. */
export async function noteText(context: Context, { template, params }: BodyOf<'sendTemplate'>): Promise<void> {
  const list = await listedTemplates(context);
  const doubt = doubtAbout(list, template, params.length);
  if (doubt !== undefined) context.note('template', doubt);
  const found = list.find(({ name }) => name === template);
  const text = found && rendered(found, params);
  if (text !== undefined) context.note('message', `the message: "${text}"`);
}

/** The templates that the service lists; empty if it does not show them. */
export async function listedTemplates(context: Context): Promise<readonly TemplateFacts[]> {
  let list: readonly TemplateFacts[] = [];
  await context.tryLookup(async (client) => {
    list = (await templatesOf(client, context)) ?? [];
    rememberTemplates(context, list);
  });
  return list;
}

export async function askForTemplate(context: Context, list: readonly TemplateFacts[]): Promise<string> {
  if (list.length === 0) return context.ask('Template', 'the argument [template]');
  const choices = list.map(({ name, status, text }) => ({
    name: [name, ...(isApproved(status) ? [] : [`(${status})`]), ...(text === undefined ? [] : [`· ${text}`])].join(
      ' ',
    ),
    template: name,
  }));
  return (await context.choose('Template', choices)).template;
}

function isApproved(status: string | undefined): boolean {
  return status === undefined || /^approved$/i.test(status);
}

async function askForParams(
  context: Context,
  template: TemplateFacts | undefined,
  { params: known }: Pick<MessageParts, 'params'>,
): Promise<readonly string[]> {
  const params: string[] = [];
  for (const [at, name] of (template?.variables ?? []).entries()) {
    if (at < known.length) continue;
    const label = /^\d+$/.test(name) ? `{{${name}}}` : `{{${at + 1}}} ${name}`;
    params.push(await context.ask(label, '--param', notEmpty));
  }
  return params;
}

export function notEmpty(text: string): void {
  if (text === '') throw usage('the value is empty', 'Ctrl-C cancels; -p= sends an empty text');
}
