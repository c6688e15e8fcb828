/** The result for a text that is not a phone number. */
export class NotPhone {
  /** The number that it would be with a "+". */
  readonly likely: string | undefined;
  /** The words after the text. */
  readonly why: string;

  constructor(likely?: string, why = 'is not a phone number') {
    this.likely = likely;
    this.why = why;
  }
}

/**
 * Reads a phone in any notation and any digits, as E.164. `country` is the code of the country of national numbers, or
 * `intl` if numbers without a "+" begin with a country code.
 */
export type PhoneReader = (text: string, country?: string) => string | NotPhone;

/** Reads one phone. */
export async function readPhone(text: string, country?: string): Promise<string | NotPhone> {
  return usual.test(text) ? text : (await openPhones())(text, country);
}

/** Mobile numbers of large countries, which libphonenumber would not change: loading it takes 6 ms. */
export const usual =
  /^\+(?:1[2-9]\d{9}|33[67]\d{8}|346\d{8}|393\d{9}|447[1-9]\d{8}|4915\d{9}|4917\d{8}|52[2-9]\d{9}|628[1-35-9]\d{8,9}|79\d{9}|91[6-9]\d{9})$/;

export async function openPhones(): Promise<PhoneReader> {
  // By name, since the build would include all others, too.
  const { getExampleNumber, isSupportedCountry, parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const { default: examples } = await import('libphonenumber-js/mobile/examples');

  function parse(text: string, country?: string) {
    const isSupported = country !== undefined && isSupportedCountry(country);
    return parsePhoneNumberFromString(text, { extract: false, ...(isSupported && { defaultCountry: country }) });
  }

  /** A range may be newer than ours, but not the length of its numbers. */
  function isPossible(number: NonNullable<ReturnType<typeof parse>>): boolean {
    const [country] = number.getPossibleCountries();
    const example = country && getExampleNumber(country, examples);
    return number.isValid() || number.nationalNumber.length === example?.nationalNumber.length;
  }

  function national(digits: string, country: string | undefined): string | NotPhone {
    const number = parse(digits, country);
    const marked = parse(`+${digits}`);
    const likely = marked?.isValid() ? marked.number : undefined;
    if (!number?.isValid()) return new NotPhone(country === undefined && digits.length > 10 ? likely : undefined);
    const isCode = digits.startsWith(number.countryCallingCode);
    if (!isCode || likely === undefined || likely === number.number) return number.number;
    return new NotPhone(likely, `may be ${likely} or ${number.number}; write it with its "+"`);
  }

  return (text, country) => {
    if (usual.test(text)) return text;
    const digits = digitsIn(text);
    if (digits === undefined) return new NotPhone();
    const marked = country === 'intl' ? digits.replace(/^(?=[1-9])/, '+') : digits;
    if (!marked.startsWith('+')) return national(digits, country);
    // Mexico's mobile numbers have lost their 1, but not in all lists.
    const number = parse(marked.replace(/^\+521(?=\d{10}$)/, '+52'));
    return number && isPossible(number) ? number.number : new NotPhone();
  };
}

/** Whether a phone in E.164 can be a mobile one of its country. */
export async function openMobiles(): Promise<(phone: string) => boolean> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  return (phone) => usual.test(phone) || /MOBILE/.test(parsePhoneNumberFromString(phone)?.getType() ?? '');
}

/** Formats phones as people read them: `+49 170 1000037`. */
export async function openSpacedPhones(): Promise<(phone: string) => string> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  return (phone) => parsePhoneNumberFromString(phone)?.formatInternational() ?? phone;
}

/** Whether a text is a number for which a country must be known. */
export function isNational(text: string): boolean {
  return /^\d{5,}$/.test(digitsIn(text) ?? '');
}

const shape = /^[\s([]*\+?(?:[\s()[\]./\u2010-\u2015\u2212-]*\d)+[\s)\].]*$/;

/** Characters of a phone; reading a text takes the square of its length. */
const longest = 100;

/** The digits of a number with its "+"; undefined if there is anything else. */
function digitsIn(text: string): string | undefined {
  // A footnote's ² would be a digit, and +12025550101/02 are two numbers.
  if (text.length > longest || /\p{No}|\/\D*\d{1,4}\D*$/u.test(text)) return undefined;
  const ascii = asciiDigits(text.replace(/\p{Cf}/gu, ''));
  if (!shape.test(ascii)) return undefined;
  // Spreadsheets and pandas take it for a fraction.
  const whole = ascii.replace(/(?<=^\s*\+?\d{7,})\.0+\s*$/, '');
  return whole.replace(/[^\d+]/g, '').replace(/^00(?=[1-9])/, '+');
}

/** The text with the digits of any script as ASCII. */
export function asciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/(?!\d)\p{Nd}/gu, digit);
}

/** A digit of any script: 0 to 9 follow each other, after a sign that is not a digit. */
function digit(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}
