import { format, getFormatFromId, isDateFormat } from 'numfmt';

/** Built-in formats that follow the country of the computer, which the file does not state. */
const ofCountry: Readonly<Record<number, string>> = { 14: 'yyyy-mm-dd', 22: 'yyyy-mm-dd hh:mm' };

/**
 * The text that a spreadsheet shows for a number: a date in its format, and digits with theirs. Long numbers are never
 * shown in scientific notation, so that a phone keeps its digits.
 */
export function shownNumber(value: number, style: string | number, since1904: boolean): string {
  const code = typeof style === 'string' ? style : (ofCountry[style] ?? getFormatFromId(style) ?? 'General');
  const isDate = isDateFormat(code);
  if (!isDate && (/^(?:general|@|)$/i.test(code) || (Number.isInteger(value) && /e[+-]/i.test(code))))
    return plain(value);
  // The long forms of the computer's settings.
  const own = /^\[\$-F[48]00\]/i.test(code) ? (value % 1 === 0 ? 'yyyy-mm-dd' : 'hh:mm:ss') : code;
  try {
    return format(own, isDate && since1904 ? value + 1_462 : value).trim();
  } catch {
    return plain(value);
  }
}

/** All digits; a spreadsheet keeps 15. */
function plain(value: number): string {
  const text = String(Number(value.toPrecision(15)));
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1 ? String(BigInt(value)) : value.toFixed(20).replace(/0+$/, '');
}
