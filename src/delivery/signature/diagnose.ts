import { encodedKey, secretPrefix, shortestSecret, signingKey } from '../../contract/keys.ts';
import { type Attempt, firstMatching, matches } from '../../contract/signature.ts';
import { type Effort, rewritesOf, thorough } from './rewrites.ts';

/** Finds the reason for a bad signature by trying common mistakes. */
export function diagnose(secrets: readonly string[], attempt: Attempt, effort: Effort = thorough): string {
  return (
    formatProblem(secrets, attempt) ??
    keyProblem(secrets, attempt) ??
    bodyProblem(secrets, attempt, effort) ??
    secretProblem(secrets) ??
    `wrong secret or modified body${secrets.length > 1 ? ` (${secrets.length} secrets tried)` : ''}`
  );
}

/** The signature is right but written in another form, or it has another version. */
function formatProblem(secrets: readonly string[], { signed, signatures }: Attempt): string | undefined {
  const bare = signatures.map((signature) => signature.replace(/^v1[,=]/, ''));
  const isRight = (values: readonly string[]) =>
    firstMatching(secrets, { signed, signatures: values.map((one) => `v1,${one}`) }) !== undefined;
  if (isRight(bare)) return 'the signature is right, but the "v1," before it is missing';
  if (isRight(bare.map((one) => Buffer.from(one, 'hex').toString('base64'))))
    return 'the signature is right, but it is in hexadecimal instead of base64';
  if (signatures.some((signature) => signature.startsWith('v1,'))) return undefined;
  const versions = signatures.map((signature) => signature.replace(/,.*/s, '').slice(0, 8));
  return `no signature of version v1 (found: ${versions.join(', ')})`;
}

/** The text of the secret was used as the key, not its decoded bytes. */
function keyProblem(secrets: readonly string[], attempt: Attempt): string | undefined {
  const isKey = (text: string) => matches(Buffer.from(text).toString('base64'), attempt);
  if (secrets.some(isKey)) return 'the key was the text of the secret: decode the part after whsec_ as base64';
  if (secrets.some((secret) => isKey(encodedKey(secret))))
    return 'the key was the text after whsec_: decode it as base64 first';
  return undefined;
}

function bodyProblem(secrets: readonly string[], { signed, signatures }: Attempt, effort: Effort): string | undefined {
  for (const { change, before } of rewritesOf(Buffer.from(signed.body), effort)) {
    const isOriginal = firstMatching(secrets, { signed: { ...signed, body: before }, signatures }) !== undefined;
    if (isOriginal) return `the body was changed after it was signed: ${change}`;
  }
  return undefined;
}

/** A text that cannot be a webhook secret. It is not shown. */
function secretProblem(secrets: readonly string[]): string | undefined {
  const invalid = secrets.find((secret) => !isBase64(encodedKey(secret)));
  if (invalid !== undefined) return notBase64(invalid);
  if (secrets.every((secret) => secret.startsWith(secretPrefix))) return undefined;
  return `the signature does not match, and the secret does not begin with ${secretPrefix}: is it the webhook secret?`;
}

/** Why a secret decodes to too few bytes. It is not shown. */
export function weakness(secret: string): string {
  if (encodedKey(secret) === '') return 'the secret is empty';
  if (!isBase64(encodedKey(secret))) return notBase64(secret);
  return `the secret decodes to ${signingKey(secret).length} bytes; at least ${shortestSecret} are required`;
}

function isBase64(text: string): boolean {
  return /^[\w+/-]+={0,2}$/.test(text);
}

function notBase64(secret: string): string {
  const position = secret.length - encodedKey(secret).length + encodedKey(secret).search(/[^\w+/-]/) + 1;
  return `the secret is not valid base64 (character ${position})`;
}
