import { CliError } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { isRecord, Mismatch, type Reader } from '../contract/readers.ts';
import { type Base, followed } from './address.ts';
import { exchange, failed, type Connection } from './exchange.ts';
import { compression, header, type WireAnswer, type WireRequest } from './transport.ts';

export interface Page {
  readonly answer: unknown;
  /** Whether the answer points to a further page. */
  readonly more: boolean;
}

interface Book {
  readonly base: Base;
  readonly request: WireRequest;
  readonly reader: Reader<unknown>;
}

/** Follows what each answer itself points to, until nothing new comes. */
export async function* readPages(connection: Connection, { base, request, reader }: Book): AsyncGenerator<Page, void> {
  const seen = new Set<string>();
  let asked = request;
  let previous: Buffer | undefined;
  for (;;) {
    const { answer, url } = await exchange(connection, asked);
    seen.add(asked.url).add(url);
    const value = readAnswer(connection, asked, { answer, reader });
    const next = nextPage({ base, url, link: header(answer.headers, 'link'), answer: value });
    const over = next.kind === 'end' || seen.has(next.url);
    // A service that knows nothing of the cursor gives the same page again.
    if (over && previous?.equals(answer.body)) return;
    yield { answer: value, more: !over };
    if (over) return;
    asked = { ...request, url: addressOf(next, connection) };
    previous = answer.body;
  }
}

function addressOf(next: Exclude<NextPage, { kind: 'end' }>, { conceal }: Connection): string {
  if (next.kind === 'next') return next.url;
  throw new CliError('unsafe', 'foreign-link', `the next page is said to be at "${conceal.text(next.url)}"`, {
    hint: 'that is not the address of this service, and the key goes nowhere else',
  });
}

interface PageSeen {
  readonly base: Base;
  /** The address that gave this page. */
  readonly url: string;
  readonly link: string | undefined;
  readonly answer: unknown;
}

type NextPage =
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

/** The target of the first link whose relation is `next`, in a Link header (RFC 8288). */
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

interface Success {
  readonly answer: WireAnswer;
  readonly reader: Reader<unknown>;
}

/** An answer by its endpoint's reader; an empty one is as good as any where nothing is shown. */
export function readAnswer(connection: Connection, request: WireRequest, { answer, reader }: Success): unknown {
  // A mark of the order of bytes says nothing in UTF-8.
  const text = answer.body.toString().replace(/^\ufeff/, '');
  const empty = text.trim() === '';
  try {
    return reader(empty ? undefined : parseJson(text));
  } catch (error) {
    const why = empty ? 'it is empty' : (compression(answer) ?? reason(error));
    throw failed(connection, request, { kind: 'unreadable', answer, why });
  }
}

function reason(error: unknown): string {
  if (error instanceof Mismatch) return `${error.at} ${error.message}`.trim();
  return error instanceof SyntaxError && error.message.startsWith('it nests') ? error.message : 'it is not JSON';
}
