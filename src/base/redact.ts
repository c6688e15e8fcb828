const keyPattern = /sk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

/** Marks of no width, plain or as JSON escapes. */
const invisible =
  /[\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff]|\u034f|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]|\\u(?:00ad|20[06][0-9a-f]|feff)/g;

/** A key as it may be shown: its prefix and last four. */
export function shownKey(key: string): string {
  const prefix = /^sk_(?:test|live)_/.exec(key)?.[0] ?? '';
  const rest = key.slice(prefix.length);
  return `${prefix}…${rest.length >= 12 ? rest.slice(-4) : ''}`;
}

/** Takes the secrets out of a text: the ones given, and all that is written like a key. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const safe = withoutSecrets(text, secrets);
  const bare = safe.replace(invisible, '');
  const shown = bare.replace(keyPattern, (key) => shownKey(key));
  return shown === bare ? safe : shown;
}

/** Takes the given secrets alone out of a text, also where line breaks or marks of no width stand inside them. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = withoutSecret(safe, secret);
  return safe;
}

/** Shorter ones may be words that stand apart by chance. */
const shortestApart = 8;

function withoutSecret(text: string, secret: string): string {
  const safe = text.replaceAll(secret, () => shownKey(secret));
  if (secret.length < shortestApart) return safe;
  let [result, done] = ['', 0];
  for (let at = safe.indexOf(secret.charAt(0)); at >= 0; at = safe.indexOf(secret.charAt(0), Math.max(at + 1, done))) {
    const end = endOfApart(safe, at, secret);
    if (end === undefined) continue;
    result += safe.slice(done, at) + shownKey(secret);
    done = end;
  }
  return result + safe.slice(done);
}

/** Where a secret ends that begins here and may have marks between its characters. */
function endOfApart(text: string, start: number, secret: string): number | undefined {
  let at = start + 1;
  for (const letter of secret.slice(1)) {
    // Before the comparison, since a backslash may begin a mark or be a character of the secret.
    for (let length = markAt(text, at); length > 0; length = markAt(text, at)) at += length;
    if (text[at] !== letter) return undefined;
    at += 1;
  }
  return at;
}

/** How long the white space, control, mark of no width, or JSON escape of one is that stands here; 0 for none. */
function markAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code <= 0x20) return 1;
  // The pattern takes milliseconds to compile, so it is kept for where it is needed.
  if (code < 0x7f && text[at] !== '\\') return 0;
  const mark = /^(?:[\s\p{Cc}\p{Cf}\p{DI}]|\\(?:[bfnrt]|u[0-9a-fA-F]{4}))/u.exec(text.slice(at, at + 6));
  return mark?.[0].length ?? 0;
}

/** The same for a path and query; a key that hides behind percent signs has all of it shown decoded. */
export function redactTarget(target: string, secrets: readonly string[] = []): string {
  const decoded = decodedOrNot(target);
  const safe = redact(decoded, secrets);
  return safe === decoded ? redact(target, secrets) : safe;
}

/** Where its percent signs are not those of UTF-8, each stands for a byte. */
export function decodedOrNot(target: string): string {
  try {
    return target.includes('%') ? decodeURIComponent(target) : target;
  } catch {
    return target.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
}

/** A phone number keeps its beginning and its last two digits. */
export function maskPhones(text: string): string {
  return text.replace(/\+\d{7,15}\b/g, (phone) => `${phone.slice(0, 4)}…${phone.slice(-2)}`);
}
