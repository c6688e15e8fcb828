import { usage } from '../../base/errors.ts';
import { redact } from '../../base/redact.ts';

const example = 'give an address such as https://api.example.com';

/** Reads a base URL. Keeps its path prefix, removes a slash at the end. */
export function baseUrl(text: string): string {
  const typed = text.trim();
  const fault = faultIn(typed);
  if (fault) throw usage(`${shown(typed)} ${fault.message}`, fault.hint);
  const { origin, pathname } = new URL(typed);
  return origin + pathname.replace(/\/+$/, '');
}

export function originOf(url: string): string {
  return new URL(url).origin;
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

function faultIn(typed: string): Fault | undefined {
  // The URL parser drops these silently, and reads a backslash as a slash.
  // \p{C} takes long to compile, so it is not needed for the usual characters.
  if (/[^!-[\]-~]/.test(typed) && /[\s\p{C}\\]/u.test(typed))
    return { message: 'has white space, a control character or a backslash inside', hint: example };
  if (!/^https?:\/\/[^/?#]/i.test(typed) || !URL.canParse(typed))
    return { message: 'is not a base URL', hint: example };
  const { username, password, pathname } = new URL(typed);
  if (username || password)
    return { message: 'has a user name or password in it', hint: 'leave out the part before "@"' };
  if (/[?#]/.test(typed))
    return { message: 'has a query or a fragment', hint: 'leave out "?" or "#" and what follows' };
  if (/\/api\/public(\/|$)/.test(pathname))
    return { message: "includes an endpoint's path", hint: 'leave out /api/public and what follows' };
  return undefined;
}

/** Quotes the typed text without possible secrets. */
function shown(typed: string): string {
  return `"${redact(typed)
    .replace(/[?#].*$/s, '…')
    .replace(/^([a-z]*:\/\/)?.*@/is, '$1…@')}"`;
}
