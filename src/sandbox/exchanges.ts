import { redact } from '../base/redact.ts';
import type { Exchange, Reply } from './exchange.ts';
import { type RequestRow, requestRow } from './messages.ts';
import type { Call } from './state/records.ts';
import type { State } from './state/state.ts';

/** The bytes of the newest requests and their answers. They are in memory only: a restart forgets them. */
export interface Exchanges {
  keep(call: Call, exchange: Exchange, reply: Reply): void;
  /** In the order of the log. */
  list(state: State): readonly ExchangeRow[];
}

export interface ExchangeRow {
  /** As the log has it. */
  readonly request: RequestRow;
  /** With the headers that the sandbox reads. Keys are masked. */
  readonly sent: Part & { readonly method: string; readonly path: string };
  readonly answered: Part & { readonly status: number };
}

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The number of bytes, if the body is longer than what is kept. */
  readonly bytes?: number | undefined;
}

const most = 100;
const longestBody = 16_384;

export function createExchanges(): Exchanges {
  const kept = new Map<Call, Kept>();
  return {
    keep(call, { method, target, headers, body }, reply) {
      const cut = body.length > longestBody ? body.slice(0, longestBody) : body;
      kept.set(call, { method, target, headers, body: cut, length: body.length, reply });
      if (kept.size <= most) return;
      const [oldest] = kept.keys();
      if (oldest) kept.delete(oldest);
    },
    // A call that a fault has changed, or whose client has left, is not in the log.
    list: ({ calls }) =>
      calls.since(Math.max(0, calls.cursor - most)).flatMap((call) => {
        const found = kept.get(call);
        return found ? rowOf(call, found) : [];
      }),
  };
}

interface Kept extends Exchange {
  /** Of the whole body. */
  readonly length: number;
  readonly reply: Reply;
}

function rowOf(call: Call, { method, target, headers, body, length, reply }: Kept): ExchangeRow {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return {
    request: requestRow(call),
    sent: { method, path: redact(target), headers: shown(headers), ...partOf(text, length) },
    answered: { status: reply.status, headers: shown(reply.headers), ...partOf(reply.body, reply.body.length) },
  };
}

function partOf(text: string, length: number): Pick<Part, 'body' | 'bytes'> {
  return { body: redact(text.slice(0, longestBody)), ...(length > longestBody && { bytes: length }) };
}

function shown(headers: Exchange['headers']): Part['headers'] {
  const all = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, redact(value)]]));
  return Object.fromEntries(all);
}
