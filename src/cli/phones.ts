import { CliError, usage } from '../base/errors.ts';
import type { Context } from './command.ts';
import { option } from './params.ts';
import { isNational, NotPhone, openPhones, readPhone } from '../contract/phone.ts';
import { countryCode } from '../contract/country.ts';
import { currentCaller } from '../session/caller.ts';

/** The country of a phone on the command line. */
export const countryParam = option('--country <country>', 'of a national number: DE or Germany', countryNamed);

/**
 * Reads a phone of the command line. A national one is of the given country, else of the profile's or of the one that a
 * person names.
 */
export async function typedPhone(
  context: Context,
  text: string,
  option?: string,
  typedCountry?: string,
): Promise<string> {
  const phone = await readPhone(text, typedCountry);
  if (typeof phone === 'string') return phone;
  const isOpen = typedCountry === undefined && isNational(text);
  const country = isOpen ? (profileCountry(context) ?? (await askedCountry(context, text))) : undefined;
  const national = country === undefined ? phone : await readPhone(text, country);
  if (typeof national === 'string') return national;
  throw notPhone(text, national, option);
}

/** Asks for a phone, which may be written in the same ways. */
export async function askForPhone(context: Context, question: string, option: string): Promise<string> {
  const [read, country] = [await openPhones(), profileCountry(context)];
  const text = await context.ask(question, option, (typed) => {
    const phone = read(typed, country);
    const isOpen = country === undefined && isNational(typed);
    if (phone instanceof NotPhone && !isOpen) throw notPhone(typed, phone);
  });
  return typedPhone(context, text);
}

/** Asks for the country of numbers; `check` throws if it is the wrong one. */
export async function askForCountry(
  context: Context,
  number: string,
  check: (country: string) => void = () => {},
): Promise<string> {
  const phone = await readPhone(number);
  const hasCode = phone instanceof NotPhone && phone.likely !== undefined;
  const { LC_ALL, LANG } = context.host.env;
  const usual = hasCode ? 'intl' : /_([A-Z]{2})\b/.exec(LC_ALL || LANG || '')?.[1];
  const read = (text: string) => check(countryNamed(text));
  return countryNamed(await context.ask(`Country of national numbers such as ${number}`, '--country', read, usual));
}

async function askedCountry(context: Context, text: string): Promise<string | undefined> {
  if (!context.interactive) return undefined;
  const read = await openPhones();
  return askForCountry(context, text, (country) => {
    const phone = read(text, country);
    if (phone instanceof NotPhone) throw notPhone(text, phone);
  });
}

/** A command may need no profile, and a single number has no columns. */
function profileCountry(context: Context): string | undefined {
  try {
    const caller = currentCaller(context);
    const country = caller.kind === 'local' ? undefined : caller.country;
    return country?.startsWith(':') ? undefined : country;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function notPhone(text: string, { why, likely }: NotPhone, option?: string): CliError {
  const hint = likely === undefined ? 'use the international form, such as +12025550101' : `did you mean ${likely}?`;
  return usage(`${option === undefined ? '' : `${option}: `}"${text}" ${why}`, hint);
}

function countryNamed(text: string): string {
  const country = countryCode(text);
  if (country !== undefined) return country;
  throw usage(`"${text}" is not a country`, 'such as DE or Germany, or intl (49170…)');
}
