import { isSameOrigin } from './address.ts';
import type { WireAnswer, WireRequest } from './transport.ts';
import { header } from './transport.ts';
import { isChange } from './trouble.ts';

export type Redirect =
  | { readonly kind: 'none' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'refuse'; readonly why: string };

const most = 5;

/** A request that changes something follows none; the others stay within their origin. */
export function redirect(request: WireRequest, answer: WireAnswer, followed: number): Redirect {
  if (![301, 302, 303, 307, 308].includes(answer.status)) return { kind: 'none' };
  const target = header(answer.headers, 'location') ?? '';
  if (isChange(request.method))
    return { kind: 'refuse', why: `a ${request.method} follows no redirect, here to "${target}"` };
  if (followed >= most) return { kind: 'refuse', why: `more than ${most} redirects, the last to "${target}"` };
  const url = URL.canParse(target, request.url) ? new URL(target, request.url) : undefined;
  const { origin } = new URL(request.url);
  if (target === '' || !url || !isSameOrigin({ origin }, url)) {
    return { kind: 'refuse', why: `a redirect to "${target}", which is not ${origin}` };
  }
  url.hash = '';
  return { kind: 'follow', url: url.href };
}
