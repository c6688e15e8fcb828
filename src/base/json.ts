/** Deeper than any real record. Walking a much deeper value would overflow the stack. */
const deepest = 500;

/** The start of an integer with 16 digits or more. It may be inside a string. */
const longInteger = /(?:^|[[:,\s])-?\d{16}/;

/** Parsing and printing more digits takes seconds. */
const mostDigits = 10_000;

/** Parses untrusted JSON. An integer that a number would round becomes a bigint. */
export function parseJson(text: string): unknown {
  const problem = excessOf(text);
  if (problem !== undefined) throw new SyntaxError(problem);
  return exactJson(text);
}

/** Parses untrusted JSON; undefined if it is not valid. */
export function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Parses JSON of a known depth, such as our own. An integer that a number would round becomes a bigint. */
export function exactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Most texts have no long integer and are parsed once.
  return longInteger.test(text) ? exactly(text) : value;
}

/** Serializes a value; a bigint becomes an integer. */
export function jsonText(value: unknown, indent: number | string = ''): string {
  try {
    // V8 is a third slower with any indent, even an empty one.
    return (indent === '' ? JSON.stringify(value) : JSON.stringify(value, undefined, indent)) ?? 'null';
  } catch (error) {
    // JSON.stringify throws on a bigint, which few values contain.
    if (!(error instanceof TypeError)) throw error;
    const marked = (_: string, item: unknown) => (typeof item === 'bigint' ? `${mark}${item}` : item);
    return JSON.stringify(value, marked, indent).replace(markedInteger, '$1');
  }
}

/** Before an integer in a text; no real text begins with it. */
const mark = '\0integer ';
const markedInteger = /"\\u0000integer (-?\d+)"/g;

/** Why JSON is too deep to parse, or has too many values; undefined if it is not. */
export function excessOf(text: string, mostValues = Infinity): string | undefined {
  if (text.length <= deepest) return undefined;
  let [depth, values, quoted] = [0, 1, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === ',') values++;
    else if (character === ']' || character === '}') depth--;
    else if (character === '[' || character === '{') [depth, values] = [depth + 1, values + 1];
    if (depth > deepest) return `it nests deeper than ${deepest} levels`;
    if (values > mostValues) return `it has more than ${mostValues} values`;
  }
  return undefined;
}

/** Parses valid JSON, with each unsafe integer as a bigint. */
function exactly(text: string): unknown {
  const tokens = /[\s,:]*(["[\]{}]|[^\s,:[\]{}"]+)/gy;
  const next = (): string => {
    const token = tokens.exec(text)?.[1] ?? '';
    if (token !== '"') return token;
    const begin = tokens.lastIndex - 1;
    tokens.lastIndex = endOfString(text, begin) + 1;
    return text.slice(begin, tokens.lastIndex);
  };
  const valueOf = (token: string): unknown => {
    if (token === '[') return items();
    return token === '{' ? Object.fromEntries(fields()) : scalar(token);
  };
  const items = (): unknown[] => {
    const values: unknown[] = [];
    for (let token = next(); token !== ']'; token = next()) values.push(valueOf(token));
    return values;
  };
  const fields = (): Map<string, unknown> => {
    const values = new Map<string, unknown>();
    for (let token = next(); token !== '}'; token = next()) {
      const name = String(JSON.parse(token));
      values.set(name, valueOf(next()));
    }
    return values;
  };
  return valueOf(next());
}

/** Finds the quote that ends a string. A regular expression would overflow the stack on millions of escapes. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end;
  }
}

function scalar(token: string): unknown {
  const value: unknown = JSON.parse(token);
  const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(token);
  return isRounded && token.length <= mostDigits ? BigInt(token) : value;
}
