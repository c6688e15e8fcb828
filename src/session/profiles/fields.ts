import { configuration, usage } from '../../base/errors.ts';
import { addressOf } from '../../base/postgres-address.ts';
import { redact } from '../../base/redact.ts';
import { requireEncryption } from '../../client/address.ts';
import { isStrongSecret, keyPrefixes, type Mode, modeOf, shortestSecret } from '../../contract/keys.ts';

/* Readers of the fields of a profile. Errors never repeat the text, since it may be a secret. */

const longestSecret = 512;

export function readKey(text: string): string {
  const key = text.trim();
  const prefixes: readonly string[] = Object.values(keyPrefixes);
  const fault = prefixes.includes(key) ? 'is only a prefix' : secretFault(key);
  if (fault) throw usage(`the key ${fault}`, 'give only the key, as the account settings show it');
  return key;
}

export function readWebhookSecret(text: string): string {
  const secret = text.trim();
  const strength = `must decode from base64 to at least ${shortestSecret} bytes`;
  const fault = secretFault(secret) ?? (isStrongSecret(secret) ? undefined : strength);
  if (fault) throw configuration('bad-secret', `the webhook secret ${fault}`, 'copy all of it, including whsec_');
  return secret;
}

/** Why a text cannot be a header value, or undefined. */
function secretFault(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[^!-~]/.test(text)) return 'has white space, control characters or others that are not ASCII inside';
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

/** The reserved profile: the sandbox on this machine. */
export const local = 'local';

/** Reads the name of a profile. */
export function profileName(text: string): string {
  const isReserved = text.toLowerCase() === local;
  const fault = isReserved ? 'is reserved for the sandbox on this machine' : nameFault(text);
  if (fault) throw usage(`the name of the profile ${fault}`, 'choose another name');
  return text;
}

/** Reads the name of an account, in one Unicode form. */
export function accountName(text: string): string {
  const name = text.trim().normalize('NFC');
  const fault = nameFault(name);
  if (fault) throw usage(`the account ${fault}`, 'give it a name such as acme');
  return name;
}

const longestName = 100;

/** Why a text cannot be a name, or undefined. Names are printed, so a key must not be one. */
function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'is empty';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name)) return 'has characters that cannot be printed';
  if (shownName(name) !== name) return 'looks like a key';
  return Array.from(name).length > longestName ? `is longer than ${longestName} characters` : undefined;
}

/** The name without what may be a key. */
export function shownName(text: string): string {
  // All have one, and most names do not.
  if (!text.includes('_')) return text;
  return redact(text).replace(/(sk_(?:test|live)_|whsec_).+/is, '$1…');
}

/** Reads a base URL. Keeps its path prefix, removes a slash at the end. */
export function baseUrl(text: string): string {
  const typed = text.trim();
  const fault = addressFault(typed);
  if (fault) throw usage(`the base URL ${fault}`, 'give an address such as https://api.example.com');
  const { origin, pathname } = new URL(typed);
  return origin + pathname.replace(/\/+$/, '');
}

/** Reads a base URL to which a key may be sent. */
export function serviceUrl(text: string): string {
  const address = baseUrl(text);
  requireEncryption(address);
  return address;
}

/** Reads the URL of a team's database. */
export function teamUrl(text: string): string {
  const url = text.trim();
  addressOf(url);
  return url;
}

function addressFault(typed: string): string | undefined {
  // The URL parser drops these silently, and reads a backslash as a slash.
  if (/[\s\\\u0000-\u001f\u007f-\u00a0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(typed))
    return 'has white space, a control character or a backslash inside';
  if (!/^https?:\/\/[^/?#]/i.test(typed) || !URL.canParse(typed)) return 'is not an http or https address';
  const { username, password, pathname } = new URL(typed);
  if (username || password) return 'has a user name or password in it';
  if (/[?#]/.test(typed)) return 'has a query or a fragment';
  return /\/api\/public(\/|$)/.test(pathname) ? "includes an endpoint's path" : undefined;
}

export function originOf(url: string): string {
  return new URL(url).origin;
}
