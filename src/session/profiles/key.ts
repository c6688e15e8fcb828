import { configuration, usage } from '../../base/errors.ts';
import { isStrongSecret, keyPrefixes, type Mode, modeOf, shortestSecret } from '../../contract/keys.ts';

const longest = 512;

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
  if (isStrongSecret(text)) return secretFault(text);
  return secretFault(text) ?? `must decode from base64 to at least ${shortestSecret} bytes`;
}

/** Why a text is not a key, or undefined. */
export function keyFault(text: string): string | undefined {
  const prefixes: readonly string[] = Object.values(keyPrefixes);
  return prefixes.includes(text) ? 'is only a prefix' : secretFault(text);
}

/** Why a text cannot be a header value, or undefined. */
export function secretFault(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[^!-~]/.test(text))
    return /[\s\p{Cc}]/u.test(text)
      ? 'has white space or control characters inside'
      : 'has characters that are not ASCII';
  return text.length > longest ? `is longer than ${longest} characters` : undefined;
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

const longestAccount = 100;

/** Why a text cannot name an account, or undefined. Names are never masked. */
export function accountFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name)) return 'has characters that cannot be printed';
  if (/sk_(?:test|live)_.|whsec_./i.test(name)) return 'looks like a key';
  return Array.from(name).length > longestAccount ? `is longer than ${longestAccount} characters` : undefined;
}
