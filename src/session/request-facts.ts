import { posix } from 'node:path';
import { percentDecoded, redact, redactTarget } from '../base/redact.ts';
import type { WireRequest } from '../client/wire.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';
import { isPhone, isRecord } from '../contract/readers.ts';
import type { Facts } from '../logs/activity.ts';

type Request = Pick<WireRequest, 'method' | 'url' | 'body'>;

/** The facts of a request for the log, without secrets. */
export function factsIn(
  { method, url, body }: Request,
  message: BodyOf<'sendTemplate'> | undefined,
  key: string,
): Pick<Facts, 'host' | 'method' | 'endpoint' | 'recipient' | 'template'> {
  const { host, pathname } = new URL(url);
  const to = message?.to ?? phoneIn(jsonIn(body));
  return {
    host: redactTarget(host, [key]),
    method,
    endpoint: redactTarget(shownPath(plainPath(pathname)), [key]),
    recipient: to && `+${masked(to.slice(1))}`,
    template: message && shownText(message.template, key, message.to),
  };
}

/** Whether a service might send a message for a path, even if the document does not have it. */
export function mayMessage(url: string): boolean {
  return plainPath(new URL(url).pathname).toLowerCase().includes('/messages');
}

/** The message that a request sends, from any command. */
export function messageIn({ method, url, body }: Request): BodyOf<'sendTemplate'> | undefined {
  const isSending = plainPath(new URL(url).pathname).toLowerCase().endsWith(endpoints.sendTemplate.path);
  if (method !== 'POST' || !isSending) return undefined;
  try {
    return endpoints.sendTemplate.body(jsonIn(body));
  } catch {
    return undefined;
  }
}

/** The id of a message in an answer. */
export function messageIdIn(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const { message_id: id, body } = answer;
  if (typeof id === 'string') return id;
  return Buffer.isBuffer(body) ? messageIdIn(jsonIn(body)) : undefined;
}

const maxLength = 200;

/** A text from the user or the service, which may repeat the key or the recipient. */
export function shownText(text: string, key: string, phone?: string): string {
  return withoutPhones(redactTarget(text, [key]), phone).slice(0, maxLength);
}

/** Masks the known phone, texts that begin with +, and texts that are only digits; other digits may be part of an id. */
function withoutPhones(text: string, phone = ''): string {
  const digits = phone.replace(/^\+/, '');
  const known = digits.length < 7 ? text : text.replaceAll(digits, masked(digits));
  return known.replace(/\+\d[\d\s().-]{5,}\d|^\d[\d\s().-]{5,18}\d$/g, (found) => {
    return (found.startsWith('+') ? '+' : '') + masked(found.replace(/\D/g, ''));
  });
}

/** Keeps the first and last digits of a phone, at most four each. */
function masked(digits: string): string {
  if (digits.length < 7) return '***';
  const shown = digits.length < 11 ? 2 : 4;
  return `${digits.slice(0, shown)}***${digits.slice(-shown)}`;
}

/** Normalizes the spelling of a path, since a service may accept several. */
function plainPath(pathname: string): string {
  return posix.normalize(`/${percentDecoded(pathname).replaceAll('\\', '/')}`).replace(/(?<=.)\/$/, '');
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

/** The recipient of a message, or the phone of a contact. */
function phoneIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return [value['to'], value['phone']].find((one) => typeof one === 'string' && isPhone(one))?.toString();
}

function jsonIn(body: WireRequest['body']): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
