import { configuration, usage } from '../../base/errors.ts';
import { redact } from '../../base/redact.ts';
import { isStrongSecret, keyPrefixes, type Mode, modeOf, shortestSecret } from '../../contract/keys.ts';

/* Readers of the fields of a profile. */

const longestSecret = 512;

/** Reads a key without the white space around it. Errors never repeat it. */
export function readKey(text: string): string {
  const key = text.trim();
  const fault = keyFault(key);
  if (fault) throw usage(`the key ${fault}`, 'give only the key, as the account settings show it');
  return key;
}

/** Reads a webhook secret without the white space around it. Errors never repeat it. */
export function readWebhookSecret(text: string): string {
  const secret = text.trim();
  const fault = webhookSecretFault(secret);
  if (fault) throw configuration('bad-secret', `the webhook secret ${fault}`, 'copy all of it, including whsec_');
  return secret;
}

/** Why a text is not a webhook secret, or undefined. */
export function webhookSecretFault(text: string): string | undefined {
  const strength = `must decode from base64 to at least ${shortestSecret} bytes`;
  return secretFault(text) ?? (isStrongSecret(text) ? undefined : strength);
}

/** Why a text is not a key, or undefined. */
export function keyFault(text: string): string | undefined {
  const prefixes: readonly string[] = Object.values(keyPrefixes);
  return prefixes.includes(text) ? 'is only a prefix' : secretFault(text);
}

/** Why a text cannot be a header value, or undefined. */
function secretFault(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[^!-~]/.test(text))
    return /[\s\p{Cc}]/u.test(text)
      ? 'has white space or control characters inside'
      : 'has characters that are not ASCII';
  return text.length > longestSecret ? `is longer than ${longestSecret} characters` : undefined;
}

/** The mode of a key, from its prefix or from `--mode`. */
export function keyMode(key: string, requested?: Mode): Mode {
  const stated = modeOf(key);
  if (stated && requested && stated !== requested)
    throw usage(`the key begins with ${keyPrefixes[stated]}: it is a ${stated} key, not a ${requested} key`);
  const mode = stated ?? requested;
  if (mode) return mode;
  throw usage(
    `the key begins with neither ${keyPrefixes.sandbox} nor ${keyPrefixes.live}`,
    'say which kind it is: --mode sandbox or --mode live',
  );
}

/** Names are never masked, so a key must not be one. */
export function looksLikeKey(name: string): boolean {
  return /sk_(?:test|live)_.|whsec_./i.test(name) || redact(name) !== name;
}

const longestAccount = 100;

/** Why a text cannot name an account, or undefined. */
export function accountFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name)) return 'has characters that cannot be printed';
  if (looksLikeKey(name)) return 'looks like a key';
  return Array.from(name).length > longestAccount ? `is longer than ${longestAccount} characters` : undefined;
}

const example = 'give an address such as https://api.example.com';

/** Reads a base URL. Keeps its path prefix, removes a slash at the end. */
export function baseUrl(text: string): string {
  const typed = text.trim();
  const fault = baseUrlFault(typed);
  if (fault) throw usage(`${shownAddress(typed)} ${fault.message}`, fault.hint);
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

function baseUrlFault(typed: string): Fault | undefined {
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
function shownAddress(typed: string): string {
  return `"${redact(typed)
    .replace(/[?#].*$/s, '…')
    .replace(/^([a-z]*:\/\/)?.*@/is, '$1…@')}"`;
}
