import { isSameOrigin } from './address.ts';
import { header, isMutation, type WireAnswer, type WireRequest } from './wire.ts';

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

const most = 5;

/** Returns the URL to follow: never for a mutation, otherwise within the origin. */
export function redirect(
  { method, url: from }: WireRequest,
  { headers }: WireAnswer,
  followed: number,
): { readonly url: string } | { readonly why: string } {
  const target = header(headers, 'location') ?? '';
  if (isMutation(method)) return { why: `a ${method} does not follow redirects, here to "${target}"` };
  if (followed >= most) return { why: `more than ${most} redirects, the last to "${target}"` };
  const { origin } = new URL(from);
  const url = target !== '' && URL.canParse(target, from) ? new URL(target, from) : undefined;
  if (!url || !isSameOrigin({ origin }, url)) return { why: `a redirect to "${target}", which is not ${origin}` };
  url.hash = '';
  return { url: url.href };
}
