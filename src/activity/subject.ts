import { endpoints } from '../contract/endpoints.ts';
import type { BodyOf } from '../contract/endpoints.ts';
import { isPhone } from '../contract/phones.ts';
import { isRecord } from '../contract/readers.ts';
import { redactTarget } from '../redact.ts';

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly body?: string | Uint8Array | undefined;
}

/** What a request is about. */
export interface Subject {
  readonly host: string;
  readonly method: string;
  readonly endpoint: string;
  readonly recipient?: string | undefined;
  readonly template?: string | undefined;
  /** The message that it sends, whichever command sends it. */
  readonly message?: BodyOf<'sendTemplate'> | undefined;
}

export function subjectOf({ method, url, body }: Request): Subject {
  const { host, pathname } = new URL(url);
  const value = valueOf(body);
  const message = method === 'POST' && pathname.endsWith(endpoints.sendTemplate.path) ? messageIn(value) : undefined;
  const to = message?.to ?? phoneIn(value);
  // An id in a path may be a phone.
  const endpoint = redactTarget(pathname).replace(/\d{7,}/g, masked);
  return { host, method, endpoint, recipient: to && `+${masked(to.slice(1))}`, template: message?.template, message };
}

/** Digits of a phone: the country and the last four at most, in characters that every terminal has. */
function masked(digits: string): string {
  if (digits.length < 7) return '***';
  const shown = digits.length < 11 ? 2 : 4;
  return `${digits.slice(0, shown)}***${digits.slice(-shown)}`;
}

function messageIn(value: unknown): BodyOf<'sendTemplate'> | undefined {
  try {
    return endpoints.sendTemplate.body(value);
  } catch {
    return undefined;
  }
}

/** The fields of a contact are the service's own: it may be here. */
function phoneIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return [value['to'], value['phone']].find((one) => typeof one === 'string' && isPhone(one))?.toString();
}

function valueOf(body: Request['body']): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
