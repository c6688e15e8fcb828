export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export function isMutation(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** With names in lower case. */
export type WireHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

export interface WireLimits {
  /** Aborted when the user or the system asks this process to end. */
  readonly signal: AbortSignal;
  /** Milliseconds until the answer must be complete. */
  readonly timeout: number;
  readonly maxBytes: number;
}

/** Sends one request and returns one answer; throws only WireFailure. */
export interface Transport {
  send(request: WireRequest, limits: WireLimits): Promise<WireAnswer>;
  close(): Promise<void>;
}

export function header(headers: WireHeaders, name: string): string | undefined {
  return headers[name] === undefined ? undefined : [headers[name]].flat().join(', ');
}

/** Every outcome of an attempt except success. */
export type AttemptFailure =
  | { readonly kind: 'refused'; readonly answer: WireAnswer }
  | { readonly kind: 'redirected' | 'unreadable'; readonly answer: WireAnswer; readonly why: string }
  | WireFailure;

/** Why there is no answer. For the kinds up to `files`, no request was sent. */
export type WireFailureKind =
  'connect' | 'address' | 'tls' | 'proxy' | 'files' | 'late' | 'interrupted' | 'reset' | 'garbled' | 'too-large';

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

/** Classifies an error thrown by a socket, a parser or a library. */
export function wireFailure(error: unknown, sent: boolean): WireFailure {
  if (error instanceof WireFailure) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  const status = /^Proxy response \((\d+)\)/.exec(text)?.[1];
  if (status !== undefined) return new WireFailure('proxy', false, `it answered ${status}`, error);
  // HPE: the HTTP parser of Node and undici
  const isGarbled = code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW';
  const kind = sent ? (isGarbled ? 'garbled' : 'reset') : kindUnsent(code);
  return new WireFailure(kind, sent, reasons[code] ?? (text || code || 'the connection broke'), error);
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

function kindUnsent(code: string): WireFailureKind {
  if (code === 'ENOTFOUND') return 'address';
  if (code === 'EMFILE' || code === 'ENFILE') return 'files';
  return /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_|DEPTH_|SELF_|HOSTNAME_|INVALID_|EPROTO|UND_ERR_PRX_TLS)/.test(code)
    ? 'tls'
    : 'connect';
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error && error.name === 'HTTPParserError' ? 'HPE_UNKNOWN' : '';
}

/**
 * Fails a request that takes too long or that the user interrupts; returns a function that ends this. A timer and a
 * listener cost a fiftieth of AbortSignal.any, which an import would make for each row.
 */
export function watch(
  { signal, timeout }: WireLimits,
  isSent: () => boolean,
  fail: (failure: WireFailure) => void,
): () => void {
  const interrupt = () => fail(new WireFailure('interrupted', isSent(), 'interrupted'));
  const expire = () =>
    fail(new WireFailure('late', isSent(), `no ${isSent() ? 'answer' : 'connection'} within ${timeout / 1_000} s`));
  // After Ctrl-Z and fg, timers fire before sockets are read, whose answers may have arrived in time.
  const timer = setTimeout(() => setImmediate(expire), timeout);
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', interrupt);
  };
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
    return Buffer.concat(this.#chunks, this.#length);
  }
}

/** The answer of one exchange, as a part of a list. */
export interface Page {
  readonly answer: unknown;
  /** Whether the answer links to a next page. */
  readonly more: boolean;
}
