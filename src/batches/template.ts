import { unsafe, usage } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import type { Context, Ui } from '../cli/command.ts';
import { seenTemplates, type TemplateText } from '../cli/seen.ts';
import { doubtAbout, listedTemplates, rendered } from '../cli/templates.ts';
import { endpoints } from '../contract/endpoints.ts';
import { isRecord } from '../contract/readers.ts';
import type { Scope } from '../store/batch.ts';
import { json } from '../store/columns.ts';
import { type Draft, firstBody } from '../store/draft.ts';
import type { Desk } from './desk.ts';

export type Template = Readonly<Awaited<ReturnType<typeof findTemplate>>>;

/** Looks up the template of a batch. `list` is empty if the service does not show its templates. */
export async function findTemplate({ context, sender }: Desk, { kind, template }: Scope) {
  const list = kind === 'message' ? await listedTemplates(context, sender.tryLookup) : [];
  const facts = list.find(({ name }) => name === template);
  // As it was listed last, if the service does not show it now.
  const text: TemplateText | undefined = facts ?? seenTemplates(context).find(({ name }) => name === template);
  return { list, facts, text, isUnlisted: list.length > 0 && !facts };
}

/** Refuses a live batch whose template is listed, but cannot be sent with these params; elsewhere it is a note. */
export function checkTemplate(context: Context, { list, facts }: Template, scope: Scope, params: number): void {
  const doubt = doubtAbout(list, scope.template, params);
  if (doubt === undefined) return;
  // A template that is not listed may exist: its first message tells.
  if (scope.mode !== 'live' || !facts) context.note('template', doubt);
  else
    throw unsafe(
      'template-unfit',
      doubt,
      'nothing was sent; a template needs one -p for each variable, and to be approved',
    );
}

/** The first message of a batch, sent to another phone. */
export type Tested = Readonly<Awaited<ReturnType<typeof sendTest>>>;

/** Sends the first message to a phone of the user. It does not count as a message to that person. */
export async function sendTest({ database, sender }: Desk, draft: Draft, to: string, { text }: Template) {
  const first = await firstBody(database, draft);
  if (first === undefined) throw usage('no row of the file can be sent', '--dry-run shows why');
  const body = { ...endpoints.sendTemplate.body(JSON.parse(first)), to };
  const answer = await sender.sendOnce(sender.exchange('sendTemplate', body), { isTest: true });
  return { test: { message_id: answer.message_id, to, text: (text && rendered(text, body.params)) ?? null } };
}

export function testText({ test }: Tested, ui: Ui): string {
  return `${ui.done('Sent a test')} to ${test.to}${test.text === null ? '' : `: ${test.text}`}`;
}

/** The text as the recipient reads it, or the params if the text of the template is not known. */
export function messageText(body: string, template: TemplateText | undefined): string {
  const message = json(body, 'body');
  const params = isRecord(message) && Array.isArray(message['params']) ? message['params'] : [];
  const texts = params.map((param) => (typeof param === 'string' ? param : jsonText(param)));
  return (template && rendered(template, texts)) ?? texts.join(' · ');
}
