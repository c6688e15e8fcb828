import type { Row } from '../row.ts';
import { createElementScanner } from './element-scanner.ts';
import { objectRow } from './object-row.ts';
import type { TextReader } from './text-reader.ts';

const [comma, newline, openList, closeList] = [0x2c, 0x0a, 0x5b, 0x5d];

/** Gives the row in each element of a JSON array, of which never more than one element is held. */
export function createArrayReader(limit: number, give: (row: Row) => void): TextReader {
  const scanner = createElementScanner();
  let phase: 'before' | 'between' | 'inside' | 'after' | 'told' = 'before';
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
      tell('what stands outside the array, from this line on, is not read');
      phase = 'told';
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

  /** A file that was cut off must not pass for a whole one. */
  function end(): void {
    if (phase === 'inside') tell('it never ends: the file may have been cut off', begun, kept);
    else if (phase === 'between') tell('the array never ends: the file may have been cut off');
  }

  function tell(reason: string, at = line, raw = ''): void {
    give({ number: ++number, line: at, raw, reason });
  }

  return { push };
}
