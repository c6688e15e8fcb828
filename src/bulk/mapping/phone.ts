import { isPhone, repairedPhone } from '../../contract/phones.ts';
import { usage } from '../../errors.ts';
import { spreadsheetDamage } from '../phone-damage.ts';
import { Refused, quoted } from './refused.ts';

/** A text as a phone number of E.164, or why it is none. */
export type PhoneReader = (text: string) => string | Refused;

/** Without a country it knows only numbers of the international form. */
export async function createPhoneReader(country?: string): Promise<PhoneReader> {
  const { isSupportedCountry, parsePhoneNumberFromString: parse } = await import('libphonenumber-js/min');
  const defaultCountry = country?.toUpperCase();
  if (defaultCountry !== undefined && !isSupportedCountry(defaultCountry))
    throw usage(`"${country}" is not a country with phone numbers`, 'use its two letters, such as US, GB or DE');
  return (text) => {
    // Digits alone may be a national number; but "01512345678.0" would pass for a longer one.
    const damage = isDigits(text) ? undefined : spreadsheetDamage(text);
    const found = damage === undefined ? parse(bare(text), { defaultCountry, extract: false }) : undefined;
    if (found?.ext) return new Refused(`${quoted(text)} has an extension, or is two numbers`);
    // With its + it needs no guess, and a country may have numbers that are newer than what is known of it.
    const isGood = found && (bare(text).startsWith('+') ? found.isPossible() : found.isValid());
    if (isGood) return found.number;
    const doubt = country === undefined ? ' of the international form, and no --country is given' : '';
    return new Refused(`${quoted(text)} is not a phone number${clue(text, damage) ?? doubt}`);
  };
}

/** §2: a number that is sent as it stands. */
export function asItStands(text: string): string | Refused {
  if (isPhone(text)) return text;
  return new Refused(`${quoted(text)} is not a phone number${clue(text, spreadsheetDamage(text)) ?? national(text)}`);
}

/** The number that was meant, or what became of it: what lost more than its + is not to be guessed. */
function clue(text: string, damage: string | undefined): string | undefined {
  const isLost = damage !== undefined && !isDigits(text);
  const repaired = isLost || isPhone(text) ? undefined : repairedPhone(text);
  if (repaired !== undefined) return `; did you mean ${repaired}?`;
  return damage === undefined ? undefined : `: ${damage}`;
}

/** Which flags read it, where it may be one that leaves its country out. */
function national(text: string): string {
  const isNumber = /^[\d\s().\-/]+$/.test(text) && text.replace(/\D/g, '').length > 4;
  return isNumber ? '; --normalise --country US reads national numbers' : '';
}

function isDigits(text: string): boolean {
  return /^\d+$/.test(text.trim());
}

/** What address books put around a number to keep its digits in order. */
function bare(text: string): string {
  return text.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '').trim();
}
