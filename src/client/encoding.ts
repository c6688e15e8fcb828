import type { WireAnswer } from './transport.ts';
import { header } from './transport.ts';

/** Why a body cannot be read that came compressed; undefined for one as it was asked for. */
export function compression({ headers }: Pick<WireAnswer, 'headers'>): string | undefined {
  const encoding = header(headers, 'content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return undefined;
  // It is the service's own word.
  const name = /^[\w-]{1,20}(?:, *[\w-]{1,20})*$/.test(encoding) ? encoding : 'in an odd way';
  return `it is compressed (${name}), which was not asked for`;
}
