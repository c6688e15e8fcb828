const keyPattern = /sk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

/** Most texts have neither a key nor characters that could hide one. */
const mayHaveKey = /sk_|[^\n\x20-\x5b\x5d-\x7e]/;

/** Zero-width characters, plain or as JSON escapes. */
const invisible =
  /[\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]|\\u(?:00ad|20[06][0-9a-f]|feff)/g;

/** Masks a key except its prefix and last four characters. */
export function maskKey(key: string): string {
  const prefix = /^sk_(?:test|live)_/.exec(key)?.[0] ?? '';
  const rest = key.slice(prefix.length);
  return `${prefix}…${rest.length >= 12 ? rest.slice(-4) : ''}`;
}

/** Masks the given secrets in a text, and everything that looks like a key. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const safe = withoutSecrets(text, secrets);
  if (!mayHaveKey.test(safe)) return safe;
  const bare = safe.replace(invisible, '');
  const shown = bare.replace(keyPattern, (key) => maskKey(key));
  return shown === bare ? safe : shown;
}

/** Masks the given secrets in a text, also if line breaks or zero-width characters split them. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = withoutSecret(safe, secret);
  return safe;
}

/** Characters of split text that match a shorter secret may do so by chance. */
const shortestSplit = 8;

function withoutSecret(text: string, secret: string): string {
  const safe = text.replaceAll(secret, () => maskKey(secret));
  if (secret.length < shortestSplit) return safe;
  let [result, done] = ['', 0];
  for (let at = safe.indexOf(secret.charAt(0)); at >= 0; at = safe.indexOf(secret.charAt(0), Math.max(at + 1, done))) {
    const end = endOfSplitSecret(safe, at, secret);
    if (end === undefined) continue;
    result += safe.slice(done, at) + maskKey(secret);
    done = end;
  }
  return result + safe.slice(done);
}

/** Returns the end of a secret that starts here and may have marks between its characters. */
function endOfSplitSecret(text: string, start: number, secret: string): number | undefined {
  let at = start + 1;
  for (let matched = 1; matched < secret.length; matched++, at++) {
    // Marks first: a backslash may begin a mark or be a character of the secret.
    for (let length = markAt(text, at); length > 0; length = markAt(text, at)) at += length;
    if (text.charCodeAt(at) !== secret.charCodeAt(matched)) return undefined;
  }
  return at;
}

/** Returns the length of the white space, control, zero-width character, or JSON escape of one at this place; 0 if none. */
function markAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code <= 0x20) return 1;
  // The pattern takes milliseconds to compile, so ASCII and the … of a masked key are decided without it.
  if ((code < 0x7f && text[at] !== '\\') || text[at] === '…') return 0;
  const mark = /^(?:[\s\p{Cc}\p{Cf}\p{DI}]|\\(?:[bfnrt]|u[0-9a-fA-F]{4}))/u.exec(text.slice(at, at + 6));
  return mark?.[0].length ?? 0;
}

/** Redacts a path and query. If a key is percent-encoded in it, the whole result is decoded. */
export function redactTarget(target: string, secrets: readonly string[] = []): string {
  const decoded = percentDecoded(target);
  const safe = redact(decoded, secrets);
  return safe === decoded ? redact(target, secrets) : safe;
}

/** Decodes percent signs. If they are not valid UTF-8, each becomes one character. */
export function percentDecoded(target: string): string {
  try {
    return target.includes('%') ? decodeURIComponent(target) : target;
  } catch {
    return target.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
}

/** Removes a key from untrusted text and values. */
export interface Redactor {
  text(text: string): string;
  value(value: unknown): unknown;
}

export function createRedactor(key: string): Redactor {
  // The key as plain text, in JSON and in a URL.
  const secrets = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  const text = (given: string) => redact(given, secrets);
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return given.map(value);
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item)]));
  };
  return { text, value };
}

/** Masks phone numbers except their first digits and the last two. */
export function maskPhones(text: string): string {
  return text.replace(/\+\d{7,15}\b/g, (phone) => `${phone.slice(0, 4)}…${phone.slice(-2)}`);
}
