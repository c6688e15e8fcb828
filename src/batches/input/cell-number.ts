import { format, getFormatFromId, isDateFormat, isValidFormat } from 'numfmt';

/** Excel allows no longer one, and parsing it would take long. */
const longestFormat = 255;

/** Built-in formats that follow the country of the computer, which the file does not state. */
const ofCountry: Readonly<Record<number, string>> = { 14: 'yyyy-mm-dd', 22: 'yyyy-mm-dd hh:mm' };

/**
 * Returns how a spreadsheet shows numbers of a style: dates in their format, and digits with theirs. Long numbers are
 * never shown in scientific notation, so that a phone keeps its digits.
 */
export function numberFormat(style: string | number, since1904: boolean): (value: number) => string {
  const code = typeof style === 'string' ? style : (ofCountry[style] ?? getFormatFromId(style) ?? 'General');
  if (/^(?:general|@|)$/i.test(code) || code.length > longestFormat || !isValidFormat(code)) return plain;
  const shift = since1904 ? 1_462 : 0;
  // The long forms of the computer's settings.
  if (/^\[\$-F[48]00\]/i.test(code))
    return (value) => format(value % 1 === 0 ? 'yyyy-mm-dd' : 'hh:mm:ss', value + shift);
  if (isDateFormat(code)) return (value) => format(code, value + shift).trim();
  const isScientific = /e[+-]/i.test(code);
  return (value) => (isScientific && Number.isInteger(value) ? plain(value) : format(code, value).trim());
}

/** All digits; a spreadsheet keeps 15. */
function plain(value: number): string {
  const text = String(Number(value.toPrecision(15)));
  if (!text.includes('e')) return text;
  return Math.abs(value) >= 1 ? String(BigInt(value)) : value.toFixed(20).replace(/0+$/, '');
}
