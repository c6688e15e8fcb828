import { configuration, usage } from '../../base/errors.ts';
import { isStrongSecret, keyPrefixes, type Mode, modeOf, shortestSecret } from '../../contract/keys.ts';

const longest = 512;

/** The key that somebody gave, without the white space around it. No error repeats any of it. */
export function readKey(text: string): string {
  const key = text.trim();
  const fault = keyFault(key);
  if (fault) throw usage(`the key ${fault}`, 'give the key alone, as it was made in the account settings');
  return key;
}

/** Reads a webhook secret without the white space around it. No error repeats any of it. */
export function readWebhookSecret(text: string): string {
  const secret = text.trim();
  const fault = webhookSecretFault(secret);
  if (fault) throw configuration('bad-secret', `the webhook secret ${fault}`, 'copy it whole, with its whsec_');
  return secret;
}

/** What keeps a text from being a webhook secret, or undefined. */
export function webhookSecretFault(text: string): string | undefined {
  if (isStrongSecret(text)) return secretFault(text);
  return secretFault(text) ?? `must decode from base64 to at least ${shortestSecret} bytes`;
}

/** What keeps a text from being a key, or undefined. */
export function keyFault(text: string): string | undefined {
  const prefixes: readonly string[] = Object.values(keyPrefixes);
  return prefixes.includes(text) ? 'is a prefix and nothing more' : secretFault(text);
}

/** What keeps a text from being sent in a header as it stands, or undefined. */
export function secretFault(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[\s\p{Cc}]/u.test(text)) return 'has white space or control characters inside';
  if (/[^!-~]/.test(text)) return 'has characters that are not ASCII';
  return text.length > longest ? `is longer than ${longest} characters` : undefined;
}

/** Which of a profile's two keys this is: its prefix says so, or who gave it. */
export function keyMode(key: string, told?: Mode): Mode {
  const stated = modeOf(key);
  if (stated && told && stated !== told)
    throw usage(`the key begins with ${keyPrefixes[stated]}: it is a ${stated} key, not a ${told} key`);
  const mode = stated ?? told;
  if (mode) return mode;
  throw usage(
    `the key begins with neither ${keyPrefixes.sandbox} nor ${keyPrefixes.live}`,
    'say which kind it is: --mode sandbox or --mode live',
  );
}
