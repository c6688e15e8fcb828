import { redactTarget } from '../redact.ts';

/** What no line of the log may hold. */
export interface Hidden {
  readonly key: string;
  /** Of whom something is sent to, as a service may repeat it. */
  readonly phone?: string | undefined;
}

/** Those that come from outside; all others are words and numbers of our own. */
const foreign = new Set(['profile', 'host', 'endpoint', 'recipient', 'template', 'run', 'message_id', 'code']);
const longest = 200;

/** A record as it is written: goes through all of it, as the replacer of JSON.stringify. */
export function written({ key, phone }: Hidden): (name: string, value: unknown) => unknown {
  return (name, value) => {
    if (typeof value !== 'string' || !foreign.has(name)) return value;
    const safe = redactTarget(value, [key]);
    return name === 'template' || name === 'message_id' ? withoutPhones(safe, phone).slice(0, longest) : safe;
  };
}

/** Digits of a phone: the country and the last four at most, in characters that every terminal has. */
export function masked(digits: string): string {
  if (digits.length < 7) return '***';
  const shown = digits.length < 11 ? 2 : 4;
  return `${digits.slice(0, shown)}***${digits.slice(-shown)}`;
}

/** Digits within an identifier may be its own: they are a phone where it is known, is marked as one, or is all there is. */
function withoutPhones(text: string, phone = ''): string {
  const digits = phone.replace(/^\+/, '');
  const known = digits.length < 7 ? text : text.replaceAll(digits, masked(digits));
  return known.replace(/\+\d[\d\s().-]{5,}\d|^\d[\d\s().-]{5,18}\d$/g, (found) => {
    return (found.startsWith('+') ? '+' : '') + masked(found.replace(/\D/g, ''));
  });
}
