const keyPattern = /sk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

/** A key as it may be shown: its prefix and last four. */
export function shownKey(key: string): string {
  const prefix = /^sk_(?:test|live)_/.exec(key)?.[0] ?? '';
  const rest = key.slice(prefix.length);
  return `${prefix}…${rest.length >= 12 ? rest.slice(-4) : ''}`;
}

/** Takes the secrets out of a text: the ones given, and all that is written like a key. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  let safe = text;
  for (const secret of secrets) if (secret !== '') safe = safe.replaceAll(secret, shownKey(secret));
  return safe.replace(keyPattern, (key) => shownKey(key));
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
