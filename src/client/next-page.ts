import { isRecord } from '../contract/readers.ts';
import type { Base } from './address.ts';
import { followed } from './address.ts';
import { linkNext } from './links.ts';

export interface PageSeen {
  readonly base: Base;
  /** The address that gave this page. */
  readonly url: string;
  readonly link: string | undefined;
  readonly answer: unknown;
}

export type NextPage =
  | { readonly kind: 'end' }
  | { readonly kind: 'next'; readonly url: string }
  /** It leads to another origin, or nowhere. */
  | { readonly kind: 'foreign'; readonly url: string };

/** §4 shows no pagination: a Link header is followed, else a cursor that the answer itself carries. */
export function nextPage({ base, url, link, answer }: PageSeen): NextPage {
  const target = link === undefined ? undefined : linkNext(link);
  if (target !== undefined) return follow(base, url, target);
  const cursor = findCursor(answer);
  if (!cursor) return { kind: 'end' };
  if (isAddress(cursor)) return follow(base, url, cursor.value);
  const next = new URL(url);
  next.searchParams.set(parameter(cursor.name), cursor.value);
  return { kind: 'next', url: next.href };
}

function follow(base: Base, from: string, target: string): NextPage {
  const url = followed(base, from, target);
  return url === undefined ? { kind: 'foreign', url: target } : { kind: 'next', url };
}

interface Cursor {
  readonly name: string;
  readonly value: string;
}

const depths = [0, 1, 2, 3] as const;

/** The shallowest one. Records in a list are not looked into: a `next` of theirs is their own. */
function findCursor(answer: unknown): Cursor | undefined {
  let level = [answer].filter(isRecord);
  for (const _ of depths) {
    const fields = level.flatMap((record) => Object.entries(record));
    if (fields.some(([name, value]) => value === false && /^has_?(?:more|next(?:_?page)?)$/i.test(name)))
      return undefined;
    const found = fields.map(([name, value]) => cursorIn(name, value)).find((cursor) => cursor !== undefined);
    if (found) return found;
    level = fields.map(([, value]) => value).filter(isRecord);
  }
  return undefined;
}

function cursorIn(name: string, value: unknown): Cursor | undefined {
  if (!/^(?:next(?:_?(?:page_?)?(?:cursor|token|url|uri|link|href)|_?page)?|cursor)$/i.test(name)) return undefined;
  const plain = isRecord(value) ? (value['href'] ?? value['url']) : value;
  if (typeof plain === 'string' && plain.trim() !== '') return { name, value: plain };
  return (typeof plain === 'number' || typeof plain === 'bigint') && name.length > 4
    ? { name, value: String(plain) }
    : undefined;
}

function isAddress({ name, value }: Cursor): boolean {
  if (/^(?:https?:\/\/|blob:)/i.test(value)) return true;
  // A cursor may well begin with a slash: base64 has one.
  return !/(?:cursor|token)$/i.test(name) && /^[/?]/.test(value);
}

/** `next_cursor` is sent as `cursor`, `nextPageToken` as `pageToken`. */
function parameter(name: string): string {
  const rest = name.replace(/^next_?/i, '');
  if (rest === '') return 'cursor';
  return name.includes('_') ? rest : rest.charAt(0).toLowerCase() + rest.slice(1);
}
