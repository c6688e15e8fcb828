import { posix } from 'node:path';
import { CliError } from '../../base/errors.ts';
import { percentDecoded, redact } from '../../base/redact.ts';
import { type BodyOf, endpoints } from '../../contract/endpoints.ts';
import { isPhone, isRecord } from '../../contract/readers.ts';
import { type Result, masked } from './log.ts';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: string | Uint8Array | undefined;
}

/** The facts of a request for the activity log. */
export interface RequestFacts {
  readonly host: string;
  readonly method: string;
  readonly endpoint: string;
  readonly recipient?: string | undefined;
  readonly template?: string | undefined;
  /** The message that it sends, from any command. */
  readonly message?: BodyOf<'sendTemplate'> | undefined;
}

export function factsIn({ method, url, body }: Request): RequestFacts {
  const { host, pathname } = new URL(url);
  const value = sentValue(body);
  const path = plainPath(pathname);
  const message = method === 'POST' && isSending(path) ? messageIn(value) : undefined;
  const to = message?.to ?? phoneIn(value);
  return {
    host,
    method,
    endpoint: shownPath(path),
    recipient: to && `+${masked(to.slice(1))}`,
    template: message?.template,
    message,
  };
}

/** Normalizes the spelling of a path, since a service may accept several. */
function plainPath(pathname: string): string {
  return posix.normalize(`/${percentDecoded(pathname).replaceAll('\\', '/')}`).replace(/(?<=.)\/$/, '');
}

function isSending(path: string): boolean {
  return path.toLowerCase().endsWith(endpoints.sendTemplate.path);
}

/** Masks all parts of a path that are not words: an id may be a phone, an address or a key. */
function shownPath(path: string): string {
  const isWord = (segment: string) =>
    /^(?:[a-z]+(?:[-_][a-z]+)*|v\d{1,2})$/i.test(segment) && redact(segment) === segment;
  return path
    .split('/')
    .map((segment) => (segment === '' || isWord(segment) ? segment : '*'))
    .join('/');
}

function messageIn(value: unknown): BodyOf<'sendTemplate'> | undefined {
  try {
    return endpoints.sendTemplate.body(value);
  } catch {
    return undefined;
  }
}

/** The recipient of a message, or the phone of a contact. */
function phoneIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return [value['to'], value['phone']].find((one) => typeof one === 'string' && isPhone(one))?.toString();
}

function sentValue(body: Request['body']): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The log outcome of an answered call. */
export function resultOf(answer: unknown): Result {
  if (isRecord(answer) && answer['failure'] instanceof CliError) return resultOfError(answer['failure']);
  const id = messageId(answer);
  return { outcome: 'done', message_id: id };
}

/** The log outcome of a failed call. The message may repeat the request, so only the code is kept. */
export function resultOfError(error: unknown): Result {
  if (!(error instanceof CliError)) return { outcome: 'unsure', code: 'bug' };
  const { done, exit, status, code } = error;
  const known = { status, code };
  if (done === 'unknown' || exit === 'unsure') return { outcome: 'unsure', ...known };
  return { outcome: status === undefined ? 'failed' : 'refused', ...known };
}

function messageId(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const { message_id: id, body } = answer;
  if (typeof id === 'string') return id;
  return Buffer.isBuffer(body) ? messageId(answeredValue(body)) : undefined;
}

function answeredValue(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
