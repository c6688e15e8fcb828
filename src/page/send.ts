import { endpoints } from '../contract/endpoints.ts';
import { errorDetail } from '../contract/statuses.ts';
import { ask } from './connection.ts';

/** Why a message was not sent, or may not have been sent. */
export interface Problem {
  readonly text: string;
  /** The status and body, if there was an answer. */
  readonly answer?: string;
}

/** Seconds to wait for an answer. */
const patience = 10;
const unsure = 'The message may have been sent: check the timeline before you send it again.';

/** Sends a message through the API, as a program would; returns the problem, if there was one. */
export async function sendMessage(
  message: { to: string; template: string; params: readonly string[] },
  gone: AbortSignal,
): Promise<Problem | undefined> {
  const { keys } = await ask('env');
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience * 1_000);
  try {
    const response = await fetch(endpoints.sendTemplate.path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.sandbox}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: AbortSignal.any([late.signal, gone]),
    });
    return problemIn(response.status, await response.text());
  } catch {
    const what = late.signal.aborted
      ? `No answer within ${patience} seconds.`
      : 'The connection broke before the answer.';
    return { text: `${what} ${unsure}` };
  } finally {
    clearTimeout(timer);
  }
}

function problemIn(status: number, body: string): Problem | undefined {
  const json = parsed(body);
  if (status < 300 && json !== undefined) return undefined;
  const text = status < 300 ? `The answer is not JSON. ${unsure}` : errorDetail(json);
  return { text: text ?? `The service answered ${status}.`, answer: `${status}\n${body}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
