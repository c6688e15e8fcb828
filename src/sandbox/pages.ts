import { Refusal } from './refusal.ts';
import type { Shape } from './shapes.ts';

export interface Page<T> {
  readonly records: readonly T[];
  /** Where the next page begins; undefined on the last. */
  readonly cursor: string | undefined;
  /** A reference to the next page, relative so that any prefix of the path survives. */
  readonly next: string | undefined;
}

const usual = 100;
const most = 1_000;

/** One page in order of creation. A cursor is a place in it, so that no page costs more than another. */
export function pageOf<T>(list: readonly T[], query: URLSearchParams, paging: Shape['paging']): Page<T> {
  const start = startOf(query.get('cursor'));
  const size = sizeOf(query.get('limit'), paging);
  const records = list.slice(start, start + size);
  const hasMore = paging === 'empty last page' ? records.length > 0 : start + size < list.length;
  if (!hasMore || paging === 'none') return { records, cursor: undefined, next: undefined };
  const cursor = cursorTo(start + records.length);
  const following = new URLSearchParams(query);
  following.set('cursor', cursor);
  return { records, cursor, next: `?${following.toString()}` };
}

function sizeOf(limit: string | null, paging: Shape['paging']): number {
  if (limit === null) return paging === 'none' ? Number.MAX_SAFE_INTEGER : usual;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new Refusal(400, 'the query parameter limit must be a number from 1');
  return Math.min(Number(limit), most);
}

function cursorTo(start: number): string {
  return Buffer.from(`from ${start}`).toString('base64url');
}

function startOf(cursor: string | null): number {
  if (cursor === null) return 0;
  const start = /^from (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  if (start === undefined) throw new Refusal(400, 'the query parameter cursor is none that this sandbox gave');
  return Number(start);
}
