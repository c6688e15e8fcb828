import { type Fields, quoted } from './input/row.ts';
import { spreadsheetDamage } from './mapping/values.ts';

export interface SuspectCell {
  readonly field: string;
  readonly reason: string;
}

/** Damage in any column. */
const surely = /\0|^[+-]?\d[.,]\d+e\+\d+$|^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/i;
/** The document names no field of a contact, so a phone is recognized by the usual names. A hotel has none. */
const phoneName = /phone|mobile|msisdn|whatsapp|^to$|(?<!\p{L})(?:tel|tel[eé]f\p{L}*|cell|cellul\p{L}*)(?!\p{L})/u;
const phoneCharacters = /^(?=.*\d)[\d\s+().,/e-]+$/i;

const knownNames = new Map<string, boolean>();
const mostNames = 1_000;

/** Finds a cell that looks damaged and is sent unchanged. */
export function findSuspectCell(fields: Fields, content: () => string): SuspectCell | undefined {
  for (const field of Object.keys(fields)) {
    const value = fields[field];
    if (typeof value !== 'string' || !(surely.test(value.trim()) || isPhoneName(field))) continue;
    const reason = spreadsheetDamage(value);
    if (reason !== undefined && content().includes(JSON.stringify(value)))
      return { field, reason: `${quoted(value)}: ${reason}` };
  }
  return undefined;
}

/** The field of a body that holds a phone, by its name and value. */
export function phoneIn(body: object): readonly [field: string, phone: string] | undefined {
  for (const [name, value] of Object.entries(body))
    if (typeof value === 'string' && phoneCharacters.test(value) && isPhoneName(name)) return [name, value];
  return undefined;
}

/** Most inputs have the same few names in all rows. */
function isPhoneName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const words = name.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').toLowerCase();
  const isPhone = phoneName.test(words);
  if (knownNames.size < mostNames) knownNames.set(name, isPhone);
  return isPhone;
}
