import { unsafe } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { rememberTemplates, seenTemplates } from '../cli/seen-templates.ts';
import { doubtAbout, type TemplateFacts, templatesOf, type TemplateText } from '../cli/templates.ts';
import type { Scope } from '../store/batch.ts';
import type { Desk } from './desk.ts';

export interface Template {
  /** The templates that the service lists; empty if it does not show them. */
  readonly list: readonly TemplateFacts[];
  /** Undefined if this one is not among them. */
  readonly facts: TemplateFacts | undefined;
  /** As it was listed last, if the service does not show it now. */
  readonly text: TemplateText | undefined;
  readonly isUnlisted: boolean;
}

/** Looks up the template of a batch. */
export async function findTemplate({ context, sender }: Desk, { kind, template }: Scope): Promise<Template> {
  let list: readonly TemplateFacts[] = [];
  if (kind === 'message')
    await sender.tryLookup(async (pages) => {
      list = (await templatesOf(pages, context)) ?? [];
    });
  if (list.length > 0) rememberTemplates(context, list);
  const facts = list.find(({ name }) => name === template);
  const text = facts ?? seenTemplates(context).find(({ name }) => name === template);
  return { list, facts, text, isUnlisted: list.length > 0 && !facts };
}

/** Refuses a live batch whose template is listed, but cannot be sent with these params; elsewhere it is a note. */
export function checkTemplate(context: Context, { list, facts }: Template, scope: Scope, params: number): void {
  const doubt = doubtAbout(list, scope.template, params);
  if (doubt === undefined) return;
  // A template that is not listed may exist: its first message tells.
  if (scope.mode !== 'live' || !facts) context.note('template', doubt);
  else throw unsafe('template-unfit', doubt, 'nothing was sent; give one -p for each variable');
}
