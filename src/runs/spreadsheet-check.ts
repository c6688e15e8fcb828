import { type Fields, quoted } from './input/row.ts';
import { spreadsheetDamage } from './mapping/values.ts';

export interface SuspectCell {
  readonly field: string;
  readonly reason: string;
}

/** Damage in any column. */
const surely = /\0|^[+-]?\d[.,]\d+e\+\d+$|^#(?:#+|REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!)$/i;
/** The document names no field of a contact, so a phone is recognized by the usual names. */
const phoneName = /phone|mobile|cell|tel|msisdn|whatsapp|^to$/i;

const knownNames = new Map<string, boolean>();
const mostNames = 1_000;

/** Finds a cell that looks damaged and is sent unchanged. */
export function findSuspectCell(fields: Fields, content: () => string): SuspectCell | undefined {
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || !(surely.test(value.trim()) || isPhoneName(field))) continue;
    const reason = spreadsheetDamage(value);
    if (reason !== undefined && content().includes(JSON.stringify(value)))
      return { field, reason: `${quoted(value)}: ${reason}` };
  }
  return undefined;
}

/** The field of a body that holds a phone, by its name. */
export function phoneField(body: object): string | undefined {
  return Object.entries(body).find(([name, value]) => isPhoneName(name) && typeof value === 'string')?.[0];
}

/** Most inputs have the same few names in all rows. */
function isPhoneName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isPhone = phoneName.test(name);
  if (knownNames.size < mostNames) knownNames.set(name, isPhone);
  return isPhone;
}
