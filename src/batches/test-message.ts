import { usage } from '../base/errors.ts';
import type { Ui } from '../cli/command.ts';
import { rendered } from '../cli/templates.ts';
import { endpoints } from '../contract/endpoints.ts';
import { type Draft, firstBody } from '../store/draft.ts';
import type { Desk } from './desk.ts';
import type { Template } from './template.ts';

/** The first message of a batch, sent to another phone. */
export interface Tested {
  readonly test: { readonly message_id: string; readonly to: string; readonly text: string | null };
}

/** Sends the first message to a phone of the user. It does not count as a message to that person. */
export async function sendTest(
  { database, sender }: Desk,
  draft: Draft,
  to: string,
  { text }: Template,
): Promise<Tested> {
  const first = await firstBody(database, draft);
  if (first === undefined) throw usage('no row of the file can be sent', '--dry-run shows why');
  const body = { ...endpoints.sendTemplate.body(JSON.parse(first)), to };
  const answer = await sender.sendOnce(sender.exchange('sendTemplate', body), { isTest: true });
  return { test: { message_id: answer.message_id, to, text: (text && rendered(text, body.params)) ?? null } };
}

export function testText({ test }: Tested, ui: Ui): string {
  return `${ui.done('Sent a test')} to ${test.to}${test.text === null ? '' : `: ${test.text}`}`;
}
