import type { Stop } from './deadline.ts';

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export function isMutation(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** In their original order, with duplicates. */
export type WireHeaders = readonly (readonly [name: string, value: string])[];

export interface WireAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface WireLimits {
  readonly signal: Stop;
  readonly maxBytes: number;
}

/** Sends one request and returns one answer; throws only WireFailure. */
export interface Transport {
  send(request: WireRequest, limits: WireLimits): Promise<WireAnswer>;
  close(): Promise<void>;
}

export function header(headers: WireHeaders, name: string): string | undefined {
  const values = headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Explains why a compressed body cannot be read; undefined if it is not compressed. */
export function compression({ headers }: Pick<WireAnswer, 'headers'>): string | undefined {
  const encoding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  // The text comes from the service, so only plain names are shown.
  const name = /^[\w-]{1,20}(?:, *[\w-]{1,20})*$/.test(encoding) ? encoding : 'unknown encoding';
  return `it is compressed (${name}), although the request did not accept that`;
}

/** Failures of a connection. For the kinds up to `files`, no request was sent. */
export type WireFailureKind =
  'connect' | 'address' | 'tls' | 'proxy' | 'files' | 'aborted' | 'reset' | 'garbled' | 'too-large';

export class WireFailure extends Error {
  readonly kind: WireFailureKind;
  /** Whether a byte of the request may have been sent. */
  readonly sent: boolean;

  constructor(kind: WireFailureKind, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'WireFailure';
    this.kind = kind;
    this.sent = sent;
  }
}

/** Every outcome of an attempt except success. */
export type AttemptFailure =
  /** `excessiveWait`: the milliseconds that the service asks to wait, if that is too long. */
  | { readonly kind: 'refused'; readonly answer: WireAnswer; readonly excessiveWait?: number | undefined }
  | { readonly kind: 'redirected'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'unreadable'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'broken'; readonly failure: WireFailure }
  | { readonly kind: 'late'; readonly sent: boolean; readonly waited: number }
  | { readonly kind: 'interrupted'; readonly sent: boolean };

export const proxyHint = 'check HTTPS_PROXY and ALL_PROXY; NO_PROXY lists hosts without a proxy';

interface WireFacts {
  readonly sent: boolean;
  readonly aborted: boolean;
}

/** Classifies an error thrown by a socket, a parser or a library. */
export function wireFailure(error: unknown, { sent, aborted }: WireFacts): WireFailure {
  if (error instanceof WireFailure) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  const readable = text.replace(/^Proxy response \((\d+)\).*$/, 'it answered $1');
  const message = reasons[code] ?? (readable || code || 'the connection broke');
  if (aborted) return new WireFailure('aborted', sent, message, error);
  return new WireFailure(sent ? kindWhenSent(code) : kindUnsent(code, text), sent, message, error);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  EMFILE: 'this process has too many open files',
  ENFILE: 'this machine has too many open files',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  EAI_AGAIN: 'DNS lookup failed (temporary)',
  ENOTFOUND: 'no such host',
};

function kindWhenSent(code: string): WireFailureKind {
  // HPE: the HTTP parser of Node and undici
  return code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW' ? 'garbled' : 'reset';
}

function kindUnsent(code: string, text: string): WireFailureKind {
  if (code === 'ENOTFOUND') return 'address';
  if (code === 'EMFILE' || code === 'ENFILE') return 'files';
  if (/^Proxy response \(\d+\)/.test(text)) return 'proxy';
  return /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_|DEPTH_|SELF_|HOSTNAME_|INVALID_|EPROTO|UND_ERR_PRX_TLS)/.test(code)
    ? 'tls'
    : 'connect';
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : '';
}

/** Buffers a response body; throws when it exceeds the limit. */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes)
      throw new WireFailure('too-large', true, `the answer is larger than ${this.#maxBytes} bytes`);
    this.#chunks.push(chunk);
  }

  concat(): Buffer {
    const [first] = this.#chunks;
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#length);
  }
}
