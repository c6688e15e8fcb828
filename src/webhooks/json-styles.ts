import { jsonText } from '../base/json.ts';
/** The ways in which languages write JSON, as what was signed is said to have been. */
export const styles: readonly (readonly [style: string, write: (value: unknown) => string])[] = [
  ['without spaces', (value) => jsonText(value)],
  ['with spaces after commas and colons', spaced],
  ['indented by 2', (value) => jsonText(value, 2)],
  ['indented by 4', (value) => jsonText(value, 4)],
  ['indented by tabs', (value) => jsonText(value, '\t')],
];

const ascii = (text: string) => text.replace(/[\u0080-\uffff]/g, (letter) => `\\u${hexadecimal(letter)}`);
const slashes = (text: string) => text.replaceAll('/', '\\/');

export const escapings: readonly (readonly [escaping: string, escape: (json: string) => string])[] = [
  ['', (json) => json],
  [', with all but ASCII escaped', ascii],
  [', with slashes escaped', slashes],
  [', with slashes and all but ASCII escaped', (json) => slashes(ascii(json))],
];

function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return jsonText(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${spaced(item)}`);
  return `{${fields.join(', ')}}`;
}

function hexadecimal(letter: string): string {
  return letter.charCodeAt(0).toString(16).padStart(4, '0');
}
