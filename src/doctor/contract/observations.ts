import type { CliError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { Observed } from '../../client/client.ts';
import type { WireAnswer } from '../../client/wire.ts';
import { isPost, type PostName } from '../../contract/endpoints.ts';
import { isRecord } from '../../contract/readers.ts';
import type { Probe } from './probes.ts';

/** A request and what came back. */
export interface Sighting {
  readonly probe: Probe;
  /** All answers, including those before a retry. */
  readonly answers: readonly Answer[];
  readonly failure?: CliError | undefined;
  /** Why it was not sent. */
  readonly notTried?: string;
}

/** All observations of a service. */
export interface Observations {
  /** The base URL, or `local`. */
  readonly address: string;
  /** The masked key. */
  readonly shownKey: string;
  readonly all: readonly Sighting[];
}

export function sightingOf(probe: Probe, { answers, failure }: Observed): Sighting {
  return { probe, answers: answers.map((answer) => readAnswer(answer)), failure };
}

export function sightingIn({ all }: Observations, { name }: Probe): Sighting | undefined {
  return all.find(({ probe }) => probe.name === name);
}

/** The last answer, which counts. */
export function lastOf(sighting: Sighting | undefined): Answer | undefined {
  return sighting?.answers.at(-1);
}

export interface Answer {
  readonly status: number;
  /** Without parameters; empty if there is no content type. */
  readonly type: string;
  readonly headers: WireAnswer['headers'];
  /** The content encoding, which was not requested. */
  readonly encoding: string | undefined;
  readonly content: Content;
}

type Content =
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'empty' } | { readonly kind: 'other' };

function readAnswer({ status, headers, body }: WireAnswer): Answer {
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

export function valueOf(headers: WireAnswer['headers'], name: string): string | undefined {
  return headers.find(([given]) => given.toLowerCase() === name)?.[1];
}

export function isJson({ type, content }: Answer): boolean {
  return content.kind === 'json' && /^application\/(?:[\w.-]+\+)?json$/.test(type);
}

/** Status and content type without content: `401, text/html`. */
export function described(answer: Answer): string {
  const { status, content } = answer;
  if (content.kind === 'empty') return `${status}, empty`;
  return `${status}, ${shownType(answer)}${shownEncoding(answer)}${content.kind === 'other' ? ', not JSON' : ''}`;
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

/** True for names that are safe to print: they cannot be a phone number, an email address or a key. */
export function isPlain(name: string): boolean {
  return name.length <= 60 && !/(?:\d\D*){4}|sk_(?:test|live)_|[^@]@/i.test(name);
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

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** An accepted request that should have been refused. */
export interface Accepted {
  readonly request: string;
  readonly status: number;
  readonly message_id: string | null;
  /** A possible consequence. */
  readonly perhaps: string;
}

const outcomes: Readonly<Record<PostName, string>> = {
  sendTemplate: 'a message may have been sent',
  createContact: 'a contact may have been created',
};

/** All accepted attempts, including retries. */
export function acceptedIn({ probe: { name, endpoint }, answers }: Sighting): readonly Accepted[] {
  if (endpoint === undefined || !isPost(endpoint)) return [];
  return answers
    .filter(({ status }) => isSuccess(status))
    .map(({ status, content }) => ({
      request: name,
      status,
      message_id: content.kind === 'json' ? messageId(content.value) : null,
      perhaps: outcomes[endpoint],
    }));
}

/** `POST … without template: 200, message_id m_1; a message may have been sent` */
export function acceptedText({ request, status, message_id: id, perhaps }: Accepted): string {
  return `${request}: ${status}${id === null ? '' : `, message_id ${id}`}; ${perhaps}`;
}

function messageId(body: unknown): string | null {
  const id = isRecord(body) ? body['message_id'] : undefined;
  return typeof id === 'string' ? id.slice(0, 200) : null;
}
