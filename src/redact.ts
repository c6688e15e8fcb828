const keyPattern = /\bsk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

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

/** A phone number keeps its beginning and its last two digits. */
export function maskPhones(text: string): string {
  return text.replace(/\+\d{7,15}\b/g, (phone) => `${phone.slice(0, 4)}…${phone.slice(-2)}`);
}
