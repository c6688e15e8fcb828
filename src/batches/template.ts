import { unsafe } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { rememberTemplates } from '../cli/seen-templates.ts';
import { doubtAbout, type TemplateFacts, templatesOf } from '../cli/templates.ts';
import type { TryLookup } from '../session/session.ts';

/** The templates that the service lists; empty if it does not show them. */
export async function listTemplates(context: Context, tryLookup: TryLookup): Promise<readonly TemplateFacts[]> {
  let list: readonly TemplateFacts[] = [];
  await tryLookup(async (pages) => {
    list = (await templatesOf(pages, context)) ?? [];
  });
  if (list.length > 0) rememberTemplates(context, list);
  return list;
}

/** Refuses a live batch whose template is listed, but cannot be sent with these params; elsewhere it is a note. */
export function checkTemplate(
  context: Context,
  list: readonly TemplateFacts[],
  { template, params, isLive }: { readonly template: string; readonly params: number; readonly isLive: boolean },
): TemplateFacts | undefined {
  const facts = list.find(({ name }) => name === template);
  const doubt = doubtAbout(list, template, params);
  if (doubt === undefined) return facts;
  // A template that is not listed may exist: its first message tells.
  if (!isLive || !facts) context.note('template', doubt);
  else throw unsafe('template-unfit', doubt, 'nothing was sent; give one -p for each variable');
  return facts;
}
