import { posixQuote } from '../base/posix-quote.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Message } from './state.ts';

/** A command that sends the same message again. */
export function curlOf({ to, template, params }: Pick<Message, 'to' | 'template' | 'params'>): string {
  return [
    `curl "$BIZMSG_BASE_URL${endpoints.sendTemplate.path}"`,
    '-H "Authorization: Bearer $BIZMSG_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${posixQuote(JSON.stringify({ to, template, params }))}`,
  ].join(' \\\n  ');
}
