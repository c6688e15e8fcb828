import { isoTime } from '../base/iso-time.ts';
import { redactTarget } from '../base/redact.ts';
import type { Exchange, Reply } from './exchange.ts';
import type { ExchangeRow, Part, RequestRow } from './rows.ts';
import type { Call } from './state/records.ts';
import type { State } from './state/state.ts';

export function requestRow({ at, method, target, status, key, message, fault, detail }: Call): RequestRow {
  const rest = { key: key ?? null, message_id: message ?? null, fault: fault ?? null, detail: detail ?? null };
  return { at: isoTime(at), method, path: target, status, ...rest };
}

/** The bytes of the newest requests and their answers. They are in memory only: a restart forgets them. */
export interface Exchanges {
  keep(call: Call, exchange: Exchange, reply: Reply): void;
  /** In the order of the log. */
  list(state: State): readonly ExchangeRow[];
}

const most = 100;
const longestBody = 16_384;

export function createExchanges(): Exchanges {
  const ring: Kept[] = [];
  let next = 0;
  return {
    keep(call, exchange, reply) {
      const { method, target, headers, body } = exchange;
      // A part of a Buffer would keep all of it in memory.
      const start = body.length > longestBody ? copyOf(body) : body;
      ring[next] = { call, head: { method, target, headers }, start, length: body.length, reply };
      next = (next + 1) % most;
    },
    list: ({ requests }) =>
      requests.between(requests.next - most).flatMap((call) => {
        const kept = ring.find((one) => one.call === call);
        return kept ? rowOf(kept) : [];
      }),
  };
}

interface Kept {
  readonly call: Call;
  /** Without its body. */
  readonly head: Omit<Exchange, 'body'>;
  /** The beginning of the body. */
  readonly start: Exchange['body'];
  /** Of the whole body. */
  readonly length: number;
  readonly reply: Reply;
}

function rowOf({ call, head, start, length, reply }: Kept): ExchangeRow {
  const text = typeof start === 'string' ? start : new TextDecoder().decode(start);
  return {
    request: requestRow(call),
    sent: {
      method: head.method,
      path: redactTarget(head.target),
      headers: shown(head.headers),
      ...partOf(text, length),
    },
    answered: { status: reply.status, headers: shown(reply.headers), ...partOf(reply.body, reply.body.length) },
  };
}

function partOf(text: string, length: number): Pick<Part, 'body' | 'bytes'> {
  return { body: redactTarget(text.slice(0, longestBody)), ...(length > longestBody && { bytes: length }) };
}

function shown(headers: Exchange['headers']): Part['headers'] {
  const all = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, redactTarget(value)]],
  );
  return Object.fromEntries(all);
}

function copyOf(body: Exchange['body']): Exchange['body'] {
  return typeof body === 'string' ? body.slice(0, longestBody) : Uint8Array.prototype.slice.call(body, 0, longestBody);
}
