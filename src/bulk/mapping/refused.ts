/** Why a value cannot be sent, in place of the value. */
export class Refused {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

// C1 controls, and the marks that reorder or hide text.
const hidden = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
const longest = 60;

/** Text from outside on one line, in quotes, cut, and with nothing in it that a terminal would act on. */
export function quoted(text: string): string {
  const safe = JSON.stringify(text.slice(0, longest * 2))
    .slice(1, -1)
    .replace(hidden, '');
  const units = Array.from(safe);
  return units.length > longest || text.length > longest * 2 ? `"${units.slice(0, longest).join('')}…"` : `"${safe}"`;
}

/** The name of a field: plain ones stand as they are. */
export function named(name: string): string {
  return /^[\w.-]{1,60}$/.test(name) ? name : quoted(name);
}

/** Any value, in words. */
export function described(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
