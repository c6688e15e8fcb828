const keyPattern = /sk_(test|live)_(?!…)[A-Za-z0-9._~+/-]+/g;

/** Masks a key except its prefix and last four characters. */
export function maskKey(key: string): string {
  const prefix = /^sk_(?:test|live)_/.exec(key)?.[0] ?? '';
  const rest = key.slice(prefix.length);
  return `${prefix}…${rest.length >= 12 ? rest.slice(-4) : ''}`;
}

/** Masks the given secrets in a text, and everything that looks like a key. */
export function redact(text: string, secrets: Iterable<string> = []): string {
  return withoutSecrets(text, secrets).replace(keyPattern, maskKey);
}

/** Masks the given secrets in a text: as they are, as JSON writes them, and percent-encoded. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let safe = text;
  for (const secret of secrets) {
    const forms = new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
    for (const form of forms) if (form !== '') safe = safe.replaceAll(form, () => maskKey(form));
  }
  return safe;
}

/** Redacts text of a request. If a key is percent-encoded in it, all ASCII in the result is decoded. */
export function redactTarget(target: string): string {
  const decoded = target.replace(/%[2-7][\da-f]/gi, (code) => decodeURIComponent(code));
  const redacted = redact(decoded);
  return redacted === decoded ? redact(target) : redacted;
}

/** Removes a key from untrusted text and values. */
export interface Redactor {
  text(text: string): string;
  value(value: unknown): unknown;
}

export function createRedactor(key: string): Redactor {
  const text = (unsafe: string) => redact(unsafe, [key]);
  const value = (unsafe: unknown): unknown => {
    if (typeof unsafe === 'string') return text(unsafe);
    if (Array.isArray(unsafe)) return unsafe.map(value);
    if (typeof unsafe !== 'object' || unsafe === null) return unsafe;
    return Object.fromEntries(Object.entries(unsafe).map(([name, item]) => [text(name), value(item)]));
  };
  return { text, value };
}

/** Masks phone numbers except their first digits and the last two. */
export function maskPhones(text: string): string {
  return text.replace(/\+\d{7,15}\b/g, (phone) => `${phone.slice(0, 4)}…${phone.slice(-2)}`);
}
