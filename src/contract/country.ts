/**
 * The code of a country, such as DE, for its code, or for its name in English or in a language of its own. `intl`, for
 * numbers that begin with a country code, is returned as it is.
 */
export function countryCode(text: string): string | undefined {
  const word = text.trim();
  if (/^intl$/i.test(word)) return 'intl';
  const code = /^[a-z]{2}$/i.test(word) ? word.toUpperCase() : (names ??= countryNames()).get(plain(word));
  if (code === undefined || nameOf(code, 'en') === undefined) return undefined;
  // In a locale, UK is GB.
  return new Intl.Locale(`und-${code}`).region;
}

let names: ReadonlyMap<string, string> | undefined;

/** Former names, which many lists still have. */
const older = { Turkey: 'TR', 'Czech Republic': 'CZ', 'Great Britain': 'GB', 'Russian Federation': 'RU' };

/** Languages of countries that have several: Schweiz, Suisse, Svizzera. */
const shared = ['en', 'de', 'fr', 'it', 'nl', 'sv'];

/** Takes 80 ms. */
function countryNames(): ReadonlyMap<string, string> {
  const read = new Map<string, string>();
  for (const code of codes()) {
    const mainLanguage = new Intl.Locale(`und-${code}`).maximize().language;
    const written = [...shared, mainLanguage].flatMap((language) => [
      nameOf(code, language),
      nameOf(code, language, 'short'),
    ]);
    for (const name of written) if (name !== undefined) read.set(plain(name), code);
  }
  for (const [name, code] of Object.entries(older)) read.set(plain(name), code);
  return read;
}

function codes(): readonly string[] {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  return letters.flatMap((first) => letters.map((second) => first + second)).filter((code) => nameOf(code, 'en'));
}

const languages = new Map<string, Intl.DisplayNames>();

function nameOf(code: string, language: string, style: 'long' | 'short' = 'long'): string | undefined {
  const key = `${language} ${style}`;
  const namer = languages.get(key) ?? new Intl.DisplayNames(language, { type: 'region', fallback: 'none', style });
  languages.set(key, namer);
  return namer.of(code);
}

/** Without accents, case and what is not a letter: Österreich is osterreich. */
function plain(name: string): string {
  return name.replaceAll('&', 'and').normalize('NFKD').replace(/\P{L}/gu, '').toLowerCase();
}
