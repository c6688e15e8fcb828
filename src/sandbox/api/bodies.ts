import * as read from '../../contract/readers.ts';
import { exactJson } from '../../base/json.ts';
import type { Contact } from '../state/records.ts';
import { type Exchange, largestBody } from '../exchange.ts';
import { attributes } from '../readers.ts';
import { badBody, readOrRefuse } from '../refusal.ts';

export function isTooLarge(body: Exchange['body'], largest = largestBody): boolean {
  return (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength) > largest;
}

/** §4: requests with a body carry a JSON content type. */
export function jsonBody(exchange: Exchange): unknown {
  if (!/^application\/json *(;|$)/i.test(exchange.headers['content-type'] ?? '')) {
    throw badBody('the header Content-Type must be application/json');
  }
  try {
    return exactJson(textOf(exchange.body));
  } catch {
    throw badBody('the body is not valid JSON in UTF-8');
  }
}

export type NewContact = Pick<Contact, 'phone' | 'name' | 'tags' | 'attributes'>;

/** The document does not show this body: we require a phone, accept three more fields and ignore others. */
export function contactBody(value: unknown): NewContact {
  return readOrRefuse(() => {
    const { phone } = read.object({ phone: read.phone })(value);
    const fields = read.isRecord(value) ? value : {};
    return {
      phone,
      name: optional(fields, 'name', read.string),
      tags: optional(fields, 'tags', read.list(read.string)) ?? [],
      attributes: optional(fields, 'attributes', attributes) ?? {},
    };
  });
}

function optional<T>(fields: Record<string, unknown>, name: string, reader: read.Reader<T>): T | undefined {
  return Object.hasOwn(fields, name) ? reader(fields[name], `/${name}`) : undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(body: Exchange['body']): string {
  return typeof body === 'string' ? body : utf8.decode(body);
}
