import { endpoints } from '../contract/endpoints.ts';
import { errorDetail } from '../contract/statuses.ts';
import { ask } from './ask.ts';
import type { Message } from './state.ts';

type Sent = Pick<Message, 'to' | 'template' | 'params'>;

/** A message that was not sent, or may not have been sent. */
class SendError extends Error {}

/** Seconds to wait for an answer. */
const patience = 10;
const unsure = 'The message may have been sent: check the list before you send it again.';

/** Sends a message through the API, as a program would; returns its id. */
export async function send({ to, template, params }: Sent, gone?: AbortSignal): Promise<string> {
  const { keys } = await ask('env');
  const late = AbortSignal.timeout(patience * 1_000);
  try {
    const response = await fetch(endpoints.sendTemplate.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.sandbox}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to, template, params }),
      signal: gone ? AbortSignal.any([late, gone]) : late,
    });
    return idIn(response.status, await response.text());
  } catch (error) {
    if (error instanceof SendError) throw error;
    const what = late.aborted ? `No answer within ${patience} seconds.` : 'The connection broke before the answer.';
    throw new SendError(`${what} ${unsure}`);
  }
}

function idIn(status: number, body: string): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
    if (status < 300) return endpoints.sendTemplate.answer(json).message_id;
  } catch {
    if (status < 300) throw new SendError(`The answer has no message id. ${unsure}`);
  }
  throw new SendError(errorDetail(json) ?? `The service answered ${status}.`);
}
