// What hides or reorders text: soft hyphens, fillers, zero width, bidi, line separators, BOM, tags.
const unseen = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}`;
// C0 and C1 controls and DEL too.
const hostile = new RegExp(String.raw`[\u0000-\u001f\u007f-\u009f${unseen}]`, 'gu');
// Joiners belong to other scripts and to emoji; between Latin letters they only make two words look alike.
const idle = new RegExp(String.raw`(?<=\p{Script=Latin})[\u200c\u200d${unseen}]+(?=\p{Script=Latin})`, 'gu');

/** Text from outside on one line, with nothing in it that a terminal would act on. */
export function safeLine(text: string): string {
  return text
    .replace(/[\t\r\n\u2028\u2029]+/g, ' ')
    .replace(idle, '')
    .replace(hostile, '');
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
  return json.replace(idle, escaped).replace(hostile, (found) => (found === '\n' ? found : escaped(found)));
}

/** A value all of whose texts, names of fields included, are safe lines. */
export function safeValue<T>(value: T): T;
export function safeValue(value: unknown): unknown {
  if (typeof value === 'string') return safeLine(value);
  if (Array.isArray(value)) return value.map((item) => safeValue<unknown>(item));
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [safeLine(key), safeValue<unknown>(item)]));
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}
