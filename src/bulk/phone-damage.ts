const asText = 'format the column as text before the numbers go in';

const signs: readonly (readonly [RegExp, string])[] = [
  [/\0/, 'it holds a NUL character'],
  [/^[+-]?\d+(?:[.,]\d*)?e[+-]?\d+$/i, `a spreadsheet made it scientific notation, so digits are lost: ${asText}`],
  [/^=\s*"?/, `it is a spreadsheet's formula: write the number alone, with its "+"`],
  [/^['\u2019]/, 'a spreadsheet put an apostrophe before it: take that out'],
  [/^#/, `a spreadsheet shows an error or a full cell in its place: ${asText}`],
  [/^-\d/, `a spreadsheet worked it out as a sum: ${asText}`],
  [/^\+?\d+[.,]0+$/, `a spreadsheet made it a decimal number: take ".0" off, and ${asText}`],
  [/^\d{1,3}(?:,\d{3}){2,}$/, `a spreadsheet put commas between its thousands: ${asText}`],
  [/^00\d{7,}$/, 'it begins with 00 where "+" is meant'],
  [/^\d{7,15}$/, `its "+" is lost, and with it perhaps the country code: ${asText}`],
];

/** What damaged a phone number, mostly a spreadsheet; undefined if it shows no sign of that. */
export function spreadsheetDamage(text: string): string | undefined {
  const trimmed = text.trim();
  return signs.find(([sign]) => sign.test(trimmed))?.[1];
}
