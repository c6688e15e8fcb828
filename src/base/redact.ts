const keyPattern = /sk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

/** A key in base64, at each of the three places where it may begin, in hexadecimal, or reversed. */
const encodedKeys =
  /(?:c2tf(?:dGVzdF|bGl2ZV)|NrX(?:3Rlc3Rf|2xpdmVf)|za19(?:0ZXN0X|saXZlX))[\w+/-]+=*|736[bB]5[fF](?:74657374|6[cC]697665)5[fF][\da-fA-F]+|(?<![\w.~+/-])[\w.~+/-]+_(?:tset|evil)_ks/g;

/** Most texts have neither a key nor characters that could hide one. */
const mayHaveKey = /sk_|_ks|c2tf|NrX|za19|736[bB]5[fF]|[^\n\x20-\x5b\x5d-\x7e]/;

/** Zero-width characters and colors, plain or as JSON escapes. */
const invisible =
  /[\xad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2060-\u206f\u2800\ufeff\ufff9-\ufffb]|\ud804\udcbd|\ud80d[\udc30-\udc3f]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|\u034f|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]|\\u(?:00ad|20[06][0-9a-f]|feff)|(?:\x1b|\\u001b)\[[\d;]*m/gi;

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
  const shown = bare.replace(keyPattern, (key) => maskKey(key)).replace(encodedKeys, '…');
  return shown === bare ? safe : shown;
}

/** Masks the given secrets in a text, also if they are encoded, or split by line breaks, colors or zero-width characters. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = withoutSecret(safe, secret);
  return safe;
}

/** Characters of split text that match a shorter secret may do so by chance. */
const shortestSplit = 8;

function withoutSecret(text: string, secret: string): string {
  const plain = text.replaceAll(secret, () => maskKey(secret));
  if (secret.length < shortestSplit) return plain;
  const safe = plain.replace(encodingsOf(secret), () => maskKey(secret));
  let [result, done] = ['', 0];
  for (let at = safe.indexOf(secret.charAt(0)); at >= 0; at = safe.indexOf(secret.charAt(0), Math.max(at + 1, done))) {
    const end = endOfSplitSecret(safe, at, secret);
    if (end === undefined) continue;
    result += safe.slice(done, at) + maskKey(secret);
    done = end;
  }
  return result + safe.slice(done);
}

/** One expression takes as long as a search for one of its texts. */
const encodings = new Map<string, RegExp>();

/** Matches a secret in base64, hexadecimal, percent-encoded once or twice, or reversed. */
function encodingsOf(secret: string): RegExp {
  const known = encodings.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const percent = encodeURIComponent(secret);
  const forms = [hex, hex.toUpperCase(), Array.from(secret).reverse().join(''), percent, encodeURIComponent(percent)];
  for (const before of [0, 1, 2]) {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // The first and the last character also depend on the bytes beside the secret.
    const sure = base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    forms.push(sure, sure.replaceAll('+', '-').replaceAll('/', '_'));
  }
  // In JSON, a backslash may precede a slash.
  const words = [...new Set(forms)].map((form) => form.replace(/\W/g, String.raw`\\?\$&`));
  const made = new RegExp(words.join('|'), 'g');
  encodings.set(secret, made);
  return made;
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

/** Returns the length of the white space, control, zero-width character or color, or JSON escape of one, here; 0 if none. */
function markAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code <= 0x20 && code !== escape) return 1;
  // The pattern takes milliseconds to compile, so ASCII and the … of a masked key are decided without it.
  if ((code > 0x20 && code < 0x7f && text[at] !== '\\') || text[at] === '…') return 0;
  const mark = /^(?:(?:\x1b|\\u001b)\[[\d;]*m|[\s\p{Cc}\p{Cf}\p{DI}\u2800]|\\(?:[bfnrt]|u[0-9a-fA-F]{4}))/u.exec(
    text.slice(at, at + 40),
  );
  return mark?.[0].length ?? 0;
}

const escape = 0x1b;

/** Rounds of percent decoding. */
const mostRounds = 5;

/** Redacts text of a request. If a key is percent-encoded in it, also several times, the whole result is decoded. */
export function redactTarget(target: string, secrets: readonly string[] = []): string {
  let safe = redact(target, secrets);
  let decoded = target;
  for (let round = 0; round < mostRounds && decoded.includes('%'); round++) {
    decoded = percentDecoded(decoded);
    const shown = redact(decoded, secrets);
    if (shown !== decoded) safe = decoded = shown;
  }
  return safe;
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
