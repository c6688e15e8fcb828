import { STATUS_CODES } from 'node:http';
import { statuses } from '../../contract/endpoints.ts';
import { json, type Reply } from '../exchange.ts';
import { Refusal, type RefusalDetails } from '../refusal.ts';
import type { Rate } from './admission.ts';

interface Problem extends RefusalDetails {
  readonly status: number;
  readonly message: string;
}

const names: Readonly<Record<number, { readonly name: string }>> = statuses;

/** The document specifies the status (§7). The body has problem details, RFC 9457. Faults may have any status of HTTP. */
export function errorAnswer({ status, message, pointer, retryAfter }: Problem): Reply {
  const title = names[status]?.name ?? STATUS_CODES[status] ?? 'Unknown';
  const errors = pointer === undefined ? {} : { errors: [{ detail: message, pointer: `#${pointer}` }] };
  const body = { type: 'about:blank', title, status, detail: message, ...errors };
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (retryAfter !== undefined) headers['retry-after'] = String(Math.ceil(retryAfter / 1_000));
  return json(status, body, headers);
}

/** The header fields of the IETF draft. */
export function rateHeaders({ limit, remaining, reset }: Rate): Readonly<Record<string, string>> {
  return {
    'ratelimit-policy': `"minute";q=${limit};w=60`,
    ratelimit: `"minute";r=${remaining};t=${Math.ceil(reset / 1_000)}`,
  };
}

const defaultSize = 100;
const largestSize = 1_000;

/** Returns one page, in order of creation. A cursor is a position. */
export function listAnswer(all: readonly unknown[], query: URLSearchParams): Reply {
  const start = startOf(query.get('cursor'));
  const data = all.slice(start, start + sizeOf(query.get('limit')));
  const end = start + data.length;
  if (end >= all.length) return json(200, { data, next_cursor: null });
  const cursor = String(end);
  const following = new URLSearchParams(query);
  following.set('cursor', cursor);
  // Relative, so that any path prefix stays valid.
  return json(200, { data, next_cursor: cursor }, { link: `<?${following.toString()}>; rel="next"` });
}

function sizeOf(limit: string | null): number {
  if (limit === null) return defaultSize;
  if (!/^[1-9]\d{0,8}$/.test(limit))
    throw new Refusal(400, 'the query parameter limit must be a whole number of at least 1');
  return Math.min(Number(limit), largestSize);
}

function startOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,9}$/.test(cursor))
    throw new Refusal(400, 'the query parameter cursor is invalid: use a cursor from a previous page');
  return Number(cursor);
}
