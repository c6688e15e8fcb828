import { CliError } from '../base/errors.ts';
import { tryJson } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import { isMutation, type WireRequest } from '../client/wire.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';
import { readPhone } from '../contract/phone.ts';
import * as read from '../contract/readers.ts';
import type { Answer } from '../store/work.ts';

type Request = Pick<WireRequest, 'method' | 'url' | 'body'>;

/** A message, as its request shows it. */
export interface Outgoing {
  /** E.164, also of a number without its +. */
  readonly to: string | undefined;
  /** Undefined unless the body is as in the document. */
  readonly message: BodyOf<'sendTemplate'> | undefined;
}

/** The message that a request sends, from any command; undefined if it sends none. */
export async function messageIn({ method, url, body }: Request): Promise<Outgoing | undefined> {
  const path = new URL(url).pathname.toLowerCase();
  // A service may have endpoints for messages that the document does not show.
  if (!isMutation(method) || !path.includes('/messages')) return undefined;
  const isKnown = method === 'POST' && path.endsWith(endpoints.sendTemplate.path);
  const sent = isKnown ? jsonIn(body) : undefined;
  if (!read.isRecord(sent)) return { to: undefined, message: undefined };
  const text = typeof sent['to'] === 'string' ? sent['to'] : '';
  const to = await phoneIn(text);
  // A service may read a number without its + like this: an opt-out holds for it, too.
  const likely = to ?? (await phoneIn(text, 'intl'));
  return { to: likely, message: messageOf({ ...sent, to }) };
}

async function phoneIn(text: string, country?: string): Promise<string | undefined> {
  const phone = await readPhone(text, country);
  if (typeof phone === 'string') return phone;
  return read.isPhone(text) ? text : undefined;
}

function messageOf(value: unknown): BodyOf<'sendTemplate'> | undefined {
  try {
    return endpoints.sendTemplate.body(value);
  } catch {
    return undefined;
  }
}

function jsonIn(body: WireRequest['body']): unknown {
  return tryJson(typeof body === 'string' ? body : new TextDecoder().decode(body));
}

/** The id of the message in an answer, also in a raw one. */
export function messageIdIn(answer: unknown): string | undefined {
  const body = read.isRecord(answer) ? answer['body'] : undefined;
  const value = body instanceof Uint8Array ? jsonIn(body) : answer;
  const id = read.isRecord(value) ? value['message_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

const longestReason = 500;

/** The outcome to record after an error. */
export function answerOf(error: unknown): Answer {
  const { code, message, done, exit } = error instanceof CliError ? error : bug;
  const reason = redact(message).slice(0, longestReason);
  if (done === 'unknown') return { kind: 'unsure', code, reason };
  return exit === 'rejected' || exit === 'notFound' ? { kind: 'failed', code, reason } : { kind: 'again' };
}

const bug = { code: 'bug', message: 'the program failed', done: 'unknown', exit: 'unexpected' } as const;
