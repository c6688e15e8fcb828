import { parseJson, repeatedName } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import { errorField, quoted, type InputRow, textField, type TextReader } from './row.ts';

/** Reads the rows of a JSON array, holding one element at a time in memory. */
export function createArrayReader(limit: number, give: (row: InputRow) => void): TextReader {
  const scanner = createElementScanner();
  let phase: 'before' | 'between' | 'inside' | 'after' | 'reported' = 'before';
  let [line, number] = [1, 0];
  let [begun, kept, long] = [1, '', false];

  function push(text: string, last: boolean): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === newline) line++;
      if (phase === 'inside') {
        const step = scanner.step(code);
        if (step === 'within') continue;
        finish(text.slice(from, step === 'done' ? at + 1 : at));
        if (step === 'done') continue;
      }
      if (code > 0x20 && outside(code)) from = at;
    }
    if (phase === 'inside') keep(text.slice(from));
    if (last) end();
  }

  /** Whether an element begins with this character. */
  function outside(code: number): boolean {
    if (phase === 'before' && code === openList) phase = 'between';
    else if (phase === 'between' && code === closeList) phase = 'after';
    else if (phase === 'between' && code !== comma) return begin(code);
    else if (phase === 'before' || phase === 'after') {
      reportDamage('text outside the array, from this line on, is not read');
      phase = 'reported';
    }
    return false;
  }

  function begin(code: number): true {
    [phase, begun, kept, long] = ['inside', line, '', false];
    scanner.begin();
    scanner.step(code);
    return true;
  }

  function keep(part: string): void {
    if (!long) kept += part;
    if (kept.length > limit) [kept, long] = ['', true];
  }

  function finish(part: string): void {
    phase = 'between';
    keep(part);
    number++;
    if (!long) give(objectRow(kept.trimEnd(), number, begun));
    else give({ number, line: begun, raw: '', reason: `it is longer than ${limit} characters` });
  }

  /** Reports a file that was cut off. */
  function end(): void {
    if (phase === 'inside') reportDamage('it is incomplete: the file may have been cut off', begun, kept);
    else if (phase === 'between') reportDamage('the array is incomplete: the file may have been cut off');
  }

  function reportDamage(reason: string, at = line, raw = ''): void {
    give({ number: ++number, line: at, raw, reason });
  }

  return { push };
}

/** Reads the rows of NDJSON. Only `\n` ends a line, since JSON text may contain other line breaks. */
export function createLineReader(limit: number, give: (row: InputRow) => void): TextReader {
  let [rest, line, number, skipping] = ['', 1, 0, false];

  function push(text: string, last: boolean): void {
    const whole = rest + text;
    let at = 0;
    for (let end = whole.indexOf('\n'); end !== -1; end = whole.indexOf('\n', at)) {
      take(whole.slice(at, end));
      [at, skipping] = [end + 1, false];
      line++;
    }
    rest = skipping ? '' : whole.slice(at);
    if (last || rest.length > limit + 1) {
      take(rest);
      [rest, skipping] = ['', true];
    }
  }

  function take(found: string): void {
    if (skipping) return;
    const text = found.endsWith('\r') ? found.slice(0, -1) : found;
    const long = text.length > limit;
    if (!long && text.trim() === '') return;
    number++;
    if (!long) give(objectRow(text, number, line));
    else give({ number, line, raw: '', reason: `it is longer than ${limit} characters` });
  }

  return { push };
}

/** Whether the element continues, ends with this character, or ended before it. */
type Step = 'within' | 'done' | 'before';

/** Finds where an element of a JSON array ends, character by character. */
interface ElementScanner {
  begin(): void;
  step(code: number): Step;
}

const [quote, backslash, comma, colon, newline] = [0x22, 0x5c, 0x2c, 0x3a, 0x0a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Beyond this depth brackets are only counted. */
const deepest = 1000;

/**
 * Keeps a damaged element from swallowing the next ones: a line break closes a string (JSON strings have none), a
 * bracket closes those left open inside it, and an object that does not follow a colon starts the next element.
 */
function createElementScanner(): ElementScanner {
  let open: number[] = [];
  let [deeper, previous, quoted, escaped] = [0, 0, false, false];

  function begin(): void {
    open = [];
    [deeper, previous, quoted, escaped] = [0, 0, false, false];
  }

  function step(code: number): Step {
    if (quoted) return inText(code);
    if (code <= 0x20) return 'within';
    const before = previous;
    previous = code;
    if (code === quote) quoted = true;
    else if (code === openObject || code === openList) return opened(code, before);
    else if (code === closeObject || code === closeList) return closed(code);
    else if (code === comma && open.length === 0) return 'before';
    return 'within';
  }

  function inText(code: number): Step {
    if (code === newline) [quoted, escaped] = [false, false];
    else if (escaped) escaped = false;
    else if (code === backslash) escaped = true;
    else if (code === quote) quoted = false;
    return 'within';
  }

  function opened(code: number, before: number): Step {
    if (code === openObject && open.at(-1) === openObject && before !== colon && deeper === 0) return 'before';
    if (open.length < deepest) open.push(code);
    else deeper++;
    return 'within';
  }

  function closed(code: number): Step {
    if (open.length === 0) return code === closeList ? 'before' : 'within';
    if (deeper > 0) deeper--;
    else {
      // The codes of a pair differ by two.
      const at = open.lastIndexOf(code - 2);
      if (at !== -1) open.length = at;
    }
    return open.length === 0 ? 'done' : 'within';
  }

  return { begin, step };
}

/** Parses one JSON value as a row. */
function objectRow(text: string, number: number, line: number): InputRow {
  const bad = (reason: string, raw = text): InputRow => ({ number, line, raw, reason });
  const read = parsed(text);
  if ('reason' in read) return bad(read.reason);
  if (!isRecord(read.value)) return bad(`it is ${kindOf(read.value)}, not an object`);
  const twice = mayRepeat(text, read.value) ? repeatedName(text) : undefined;
  if (twice !== undefined) return bad(`it has ${quoted(twice)} twice: remove one of them`);
  const inexact = inexactIn(text, read.value);
  if (inexact !== undefined) return bad(`the number ${inexact} is too large to be exact; write it as a text`);
  if (!(errorField in read.value || textField in read.value)) {
    return { number, line, raw: read.value, fields: read.value };
  }
  const { [errorField]: error, [textField]: damaged, ...fields } = read.value;
  if (typeof damaged !== 'string') return { number, line, raw: fields, fields };
  if (Object.keys(fields).length === 0) return bad(typeof error === 'string' ? error : 'it is damaged', damaged);
  return bad(`its ${textField} still holds damaged text: remove it once the row is fixed`);
}

/** Whether there may be more names in the text than in the value, so that hardly any row is scanned for repeated ones. */
function mayRepeat(text: string, value: unknown): boolean {
  return namesIn(value) !== text.match(/"\s*:/g)?.length;
}

function namesIn(value: unknown): number {
  let names = 0;
  if (Array.isArray(value)) for (const item of value) names += namesIn(item);
  // `Object.values` would take several times as long.
  else if (isRecord(value)) for (const name in value) names += 1 + namesIn(value[name]);
  return names;
}

type Parsed = { readonly value: unknown } | { readonly reason: string };

function parsed(text: string): Parsed {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: `it is not JSON: ${error.message}` };
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** Finds a number that would change when sent: 17 digits with a fraction are rounded, 1e400 becomes null. */
export function inexactIn(text: string, value: unknown): string | undefined {
  const [hasMany, hasExponent] = [/\d{16}/.test(text), /\de\+?\d{3}/i.test(text)];
  const isLost = (number: number) =>
    !Number.isFinite(number) || (hasMany && Number.isInteger(number) && !Number.isSafeInteger(number));
  const found = hasMany || hasExponent ? findNumber(value, isLost) : undefined;
  return found === undefined || Number.isFinite(found) ? found?.toString() : infiniteIn(text);
}

function findNumber(value: unknown, matches: (number: number) => boolean): number | undefined {
  if (typeof value === 'number') return matches(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const part of Object.values(value)) {
    const found = findNumber(part, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first such number, as it was written. */
function infiniteIn(text: string): string {
  const written = text.match(/-?\d[\d.]*(?:e\+?\d+)?/gi) ?? [];
  const found = written.find((one) => !Number.isFinite(Number(one))) ?? 'Infinity';
  return found.length > 40 ? `${found.slice(0, 40)}…` : found;
}
