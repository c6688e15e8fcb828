import { CliError } from '../base/errors.ts';
import { isRecord, type Reader } from '../contract/readers.ts';
import { type Base, followed } from './address.ts';
import { complete, type Connection, Exchange, readAnswer } from './exchange.ts';
import { header, type Page, type WireAnswer, type WireRequest } from './wire.ts';

interface PageOptions {
  readonly base: Base;
  readonly request: WireRequest;
  readonly reader: Reader<unknown>;
}

/** Follows the link or cursor in each answer until there is no new page. */
export async function* readPages(
  connection: Connection,
  { base, request, reader }: PageOptions,
): AsyncGenerator<Page, void> {
  const read = (answer: WireAnswer) => ({ answer: readAnswer(answer, reader), link: header(answer.headers, 'link') });
  const seen = new Set<string>();
  let current = request;
  for (;;) {
    const exchange = new Exchange(connection, current, read);
    const { answer, link } = await complete(exchange);
    const { url } = exchange.request;
    seen.add(current.url).add(url);
    const next = nextPage({ base, url, link, answer });
    const isLast = next.kind === 'end' || seen.has(next.url);
    yield { answer, more: !isLast };
    if (isLast) return;
    current = { ...request, url: addressOf(next, connection) };
  }
}

function addressOf(next: Exclude<NextPage, { kind: 'end' }>, { redactor }: Connection): string {
  if (next.kind === 'next') return next.url;
  throw new CliError('unsafe', 'foreign-link', `the answer links to a next page at "${redactor.text(next.url)}"`, {
    hint: 'that is not the address of this service, and the key is only sent there',
  });
}

interface PageSeen {
  readonly base: Base;
  /** The address of this page. */
  readonly url: string;
  readonly link: string | undefined;
  readonly answer: unknown;
}

type NextPage =
  | { readonly kind: 'end' }
  | { readonly kind: 'next'; readonly url: string }
  /** A link to another origin, or an invalid one. */
  | { readonly kind: 'foreign'; readonly url: string };

/** §4 does not show pagination, so this follows a Link header, or else a cursor in the answer. */
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

/** Finds the outermost cursor. Records in lists are skipped: a `next` in them belongs to the record. */
function findCursor(answer: unknown): Cursor | undefined {
  let level = [answer].filter(isRecord);
  for (let depth = 0; depth < 4; depth++) {
    const fields = level.flatMap((record) => Object.entries(record));
    if (fields.some(([name, value]) => value === false && /^has_?(?:more|next(?:_?page)?)$/i.test(name)))
      return undefined;
    const [cursor] = fields.flatMap(([name, value]) => cursorIn(name, value) ?? []);
    if (cursor) return cursor;
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

/** Returns the first target with the relation `next` in a Link header (RFC 8288). */
export function linkNext(header: string): string | undefined {
  const links = header.matchAll(
    /<([^>]*)>((?:\s*;\s*[\w*!#$%&'+.^`|~-]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]+))?)*)/g,
  );
  for (const [, target, params = ''] of links) if (relations(params).includes('next')) return target;
  return undefined;
}

function relations(params: string): string[] {
  const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/i.exec(params) ?? [];
  return (quoted ?? bare ?? '').toLowerCase().split(/\s+/);
}
