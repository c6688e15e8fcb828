import { isRecord } from '../contract/readers.ts';
import { redact } from '../redact.ts';

/** Takes the key out of what came from outside, before anybody sees it. */
export interface Conceal {
  text(text: string): string;
  value(value: unknown): unknown;
}

export function createConceal(key: string): Conceal {
  // The same key, as JSON and as a URL write it.
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
