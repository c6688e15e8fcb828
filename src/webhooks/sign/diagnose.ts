import { shortestSecret, signingKey } from '../../contract/keys.ts';
import { changesOf, type Effort, thorough } from './rewrites.ts';
import { type Attempt, firstMatching, matches } from '../../contract/signature.ts';

const prefix = 'whsec_';

/** Tries what usually goes wrong with a signature, and returns which it was. */
export function whyNot(secrets: readonly string[], attempt: Attempt, effort: Effort = thorough): string {
  return (
    formTrouble(secrets, attempt) ??
    keyTrouble(secrets, attempt) ??
    bodyTrouble(secrets, attempt, effort) ??
    secretTrouble(secrets) ??
    `${known(secrets)} did not make the signature: another one did, or the body was changed beyond guessing`
  );
}

/** The right signature, written otherwise, or none of this version. */
function formTrouble(secrets: readonly string[], { signed, signatures }: Attempt): string | undefined {
  const bare = signatures.map((signature) => signature.replace(/^v1[,=]/, ''));
  const written = (signatures: readonly string[]) =>
    firstMatching(secrets, { signed, signatures: signatures.map((one) => `v1,${one}`) }) !== undefined;
  if (written(bare)) return 'the signature is right, but "v1," is missing before it';
  if (written(bare.map((one) => Buffer.from(one, 'hex').toString('base64'))))
    return 'the signature is right, but written in hexadecimal, where base64 is due';
  if (signatures.some((signature) => signature.startsWith('v1,'))) return undefined;
  const versions = signatures.map((signature) => signature.replace(/,.*/s, '').slice(0, 8));
  return `none of its signatures is of version v1, which a secret makes: ${versions.join(', ')}`;
}

/** Something else than the bytes of the secret was the key. */
function keyTrouble(secrets: readonly string[], attempt: Attempt): string | undefined {
  const isKey = (text: string) => matches(Buffer.from(text).toString('base64'), attempt);
  if (secrets.some(isKey))
    return 'the letters of the secret were used as the key: decode what follows whsec_ as base64';
  if (secrets.some((secret) => isKey(bareOf(secret))))
    return 'the letters after whsec_ were used as the key: decode them as base64 first';
  return undefined;
}

function bodyTrouble(secrets: readonly string[], { signed, signatures }: Attempt, effort: Effort): string | undefined {
  for (const { how, before } of changesOf(Buffer.from(signed.body), effort)) {
    const isBefore = firstMatching(secrets, { signed: { ...signed, body: before }, signatures }) !== undefined;
    if (isBefore) return `the body was changed after it was signed: ${how}`;
  }
  return undefined;
}

/** Finds a secret that nobody can have given out like this. It is not shown. */
function secretTrouble(secrets: readonly string[]): string | undefined {
  const broken = secrets.find((secret) => !isBase64(bareOf(secret)));
  if (broken !== undefined) return undecoded(broken);
  if (secrets.every((secret) => secret.startsWith(prefix))) return undefined;
  return `${known(secrets)} did not make the signature, and it does not begin with ${prefix}: is it the webhook secret?`;
}

/** Why a secret decodes to too few bytes. It is not shown. */
export function weakness(secret: string): string {
  if (bareOf(secret) === '') return 'the secret is empty';
  if (!isBase64(bareOf(secret))) return undecoded(secret);
  return `the secret decodes to ${signingKey(secret).length} bytes, and at least ${shortestSecret} are needed`;
}

function isBase64(text: string): boolean {
  return /^[\w+/-]+={0,2}$/.test(text);
}

function undecoded(secret: string): string {
  const letter = secret.length - bareOf(secret).length + bareOf(secret).search(/[^\w+/-]/) + 1;
  return `the secret does not decode: ${prefix} and base64 are due, and its letter ${letter} is none of base64`;
}

function known(secrets: readonly string[]): string {
  return secrets.length === 1 ? 'the secret known here' : `each of the ${secrets.length} secrets known here`;
}

function bareOf(secret: string): string {
  return secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
}
