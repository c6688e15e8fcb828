import type { Row } from '../row.ts';
import { objectRow } from './object-row.ts';
import type { TextReader } from './text-reader.ts';

/** Gives the row on each line of an NDJSON text. Only `\n` ends a line: others may stand inside a JSON text. */
export function createLineReader(limit: number, give: (row: Row) => void): TextReader {
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
