import { isPhone } from '../../contract/readers.ts';
import type { Fields } from '../input/row.ts';
import { quoted } from '../quoted.ts';

const asText = 'format the column as text first';

const damages: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'it holds a NUL character'],
  [/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i, `a spreadsheet made it scientific notation, so digits are lost: ${asText}`],
  [/^=\s*"?/, `it is a spreadsheet's formula: write the number alone, with its "+"`],
  [/^['\u2019]/, 'a spreadsheet put an apostrophe before it: take that out'],
  [/^#(?:#+|¡?[\p{Lu}\d/]+[!?]?)$/iu, `a spreadsheet shows an error or a full cell in its place: ${asText}`],
  [/^-\d/, `a spreadsheet calculated it as a sum: ${asText}`],
  [/^\d{1,3}(?:,\d{3}){2,}$/, `a spreadsheet put commas between its thousands: ${asText}`],
];

/** How a spreadsheet damaged a phone; undefined if it shows no damage. */
export function spreadsheetDamage(text: string): string | undefined {
  const trimmed = text.trim();
  return isPhone(trimmed) ? undefined : damages.find(([sign]) => sign.test(trimmed))?.[1];
}

/** UTF-8 that was read as windows-1252, such as "JÃ¼rgen", or letters that became question marks. */
const garbled = /Ã[\u0080-\u00bf\u0152-\u2122]|â€|Â[\u00a0-\u00bf]|\ufffd|(?<=^|\s)\?\?+|\?\?+(?=\p{L})/u;
/** Damage in any column. */
const damaged = /\0|^[+-]?\d[.,]\d+e\+\d+$|^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/i;

/** A cell that looks damaged and would be sent unchanged, for a note. */
export function damagedCell(fields: Fields): { readonly column: string; readonly why: string } | undefined {
  for (const [column, value] of Object.entries(fields)) {
    if (typeof value !== 'string') continue;
    if (garbled.test(value))
      return { column, why: `${quoted(value)}: its letters are damaged; its encoding may be another` };
    const damage = damaged.test(value.trim()) ? spreadsheetDamage(value) : undefined;
    if (damage !== undefined) return { column, why: `${quoted(value)}: ${damage}` };
  }
  return undefined;
}
