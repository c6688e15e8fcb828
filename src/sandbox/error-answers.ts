import { statuses } from '../contract/statuses.ts';
import { json, type Reply } from './exchange.ts';
import type { Rate } from './limits.ts';
import type { Refusal } from './refusal.ts';
import type { Shape } from './shapes.ts';

/** The status is stated (§7), all else is the shape's. */
export function errorAnswer(shape: Shape, refusal: Refusal, wall: number): Reply {
  const { status, retryAfter } = refusal;
  const reply = errorBodies[shape.error](refusal, statuses[status].name);
  const headers: Record<string, string> = { ...reply.headers };
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (retryAfter !== undefined && shape.rate !== 'none') headers['retry-after'] = waiting(shape, retryAfter, wall);
  return { ...reply, headers };
}

const errorBodies: Readonly<Record<Shape['error'], (refusal: Refusal, title: string) => Reply>> = {
  problem: problem,
  message: ({ status, message }) => json(status, { message }),
  nested: ({ status, message }, title) =>
    json(status, { error: { code: title.toLowerCase().replace(' ', '_'), message, details: null } }),
  nothing: ({ status }) => ({ status, headers: {}, body: '' }),
  html: ({ status }, title) => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><title>${title}</title><h1>${title}</h1>`,
  }),
};

/** RFC 9457. */
function problem({ status, message, pointer }: Refusal, title: string): Reply {
  const errors = pointer === undefined ? {} : { errors: [{ detail: message, pointer: `#${pointer}` }] };
  const body = { type: 'about:blank', title, status, detail: message, ...errors };
  return json(status, body, { 'content-type': 'application/problem+json' });
}

function waiting(shape: Shape, milliseconds: number, wall: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  return shape.rate === 'date' ? new Date(wall + seconds * 1_000).toUTCString() : String(seconds);
}

/** The fields of the IETF's draft. */
export function rateHeaders(shape: Shape, rate: Rate | undefined): Readonly<Record<string, string>> {
  if (!rate || shape.rate !== 'draft') return {};
  return {
    'ratelimit-policy': `"minute";q=${rate.limit};w=60`,
    ratelimit: `"minute";r=${rate.remaining};t=${Math.ceil(rate.reset / 1_000)}`,
  };
}
