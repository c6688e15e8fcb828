import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';

/** Removes the key from untrusted text and values. */
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
    if (!isRecord(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item)]));
  };
  return { text, value };
}
