// C0 and C1 controls, DEL, and the marks that reorder or hide text (bidi, zero width, line separators, BOM, tags).
const hostile =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text from outside on one line, with nothing in it that a terminal would act on. */
export function safeLine(text: string): string {
  return text.replace(/[\t\r\n\u2028\u2029]+/g, ' ').replace(hostile, '');
}

/** The same for text that may have lines of its own. */
export function safeLines(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => safeLine(line))
    .join('\n');
}

/** JSON keeps its value: what a terminal would act on is escaped, not removed. */
export function safeJson(json: string): string {
  return json.replace(hostile, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

/** A value all of whose texts, names of fields included, are safe lines. */
export function safeValue<T>(value: T): T;
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.map((item) => safeValue<unknown>(item));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeLine(key), safeValue<unknown>(item)]));
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
