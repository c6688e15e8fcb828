import { parseJson } from '../base/json.ts';
import { isPlain } from './names.ts';

/** As it came from the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  /** Without its parameters; empty where there is none. */
  readonly type: string;
  readonly headers: RawAnswer['headers'];
  /** How it is compressed, which is not asked for. */
  readonly encoding: string | undefined;
  readonly content: Content;
}

type Content =
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'empty' } | { readonly kind: 'other' };

export function readAnswer({ status, headers, body }: RawAnswer): Answer {
  const type = valueOf(headers, 'content-type') ?? '';
  const encoding = valueOf(headers, 'content-encoding')?.trim().toLowerCase();
  return {
    status,
    type: /^[^;]*/.exec(type)?.[0].trim().toLowerCase() ?? '',
    headers,
    encoding: encoding === '' || encoding === 'identity' ? undefined : encoding,
    content: contentOf(body),
  };
}

export function valueOf(headers: RawAnswer['headers'], name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

export function isJson({ type, content }: Answer): boolean {
  return content.kind === 'json' && /^application\/(?:[\w.-]+\+)?json$/.test(type);
}

/** `401, text/html`, and nothing of what it says. */
export function described(answer: Answer): string {
  const { status, content } = answer;
  if (content.kind === 'empty') return `${status}, empty`;
  return `${status}, ${shownType(answer)}${shownEncoding(answer)}${content.kind === 'other' ? ', no JSON' : ''}`;
}

function shownEncoding({ encoding }: Answer): string {
  if (encoding === undefined) return '';
  const isUsual = /^[\w-]+$/.test(encoding) && isPlain(encoding);
  return `, compressed (${isUsual ? encoding : 'in an odd way'}), which was not asked for`;
}

function shownType({ type }: Answer): string {
  if (type === '') return 'no content type';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) && isPlain(type) ? type : 'an odd content type';
}

function contentOf(body: Uint8Array): Content {
  const text = new TextDecoder().decode(body);
  if (text.trim() === '') return { kind: 'empty' };
  try {
    return { kind: 'json', value: parseJson(text) };
  } catch {
    return { kind: 'other' };
  }
}

/** A stated refusal that has to do with the key, the plan or the minute, and nothing with what was asked. */
export function isOfTheAccount(status: number): boolean {
  return status === 401 || status === 402 || status === 403 || status === 429;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
