import type { Reply } from '../../base/redis.ts';

/** Readers of replies. A reply of another form is a bug. */
export function text(reply: Reply | undefined): string {
  return bytes(reply).toString();
}

export function bytes(reply: Reply | undefined): Buffer {
  if (!Buffer.isBuffer(reply)) throw new Error('the server returned no text');
  return reply;
}

/** Undefined for nothing. */
export function maybeText(reply: Reply | undefined): string | undefined {
  return Buffer.isBuffer(reply) ? reply.toString() : undefined;
}

/** Servers return large numbers, and those in hashes, as text; nothing is 0. */
export function integer(reply: Reply | undefined): number {
  if (typeof reply === 'number') return reply;
  return Buffer.isBuffer(reply) ? Number(reply.toString()) : 0;
}

export function list(reply: Reply | undefined): readonly Reply[] {
  if (!Array.isArray(reply)) throw new Error('the server returned no list');
  return reply;
}
