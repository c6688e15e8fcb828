import { usage } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import type { InputRow } from './row.ts';

const mostOfArray = 100_000_000;
const mostOfLine = 1 << 20;
const batchSize = 1_000;

/** Reads NDJSON. Only LF ends a line, since JSON may contain other line breaks. */
export async function* ndjsonRows(texts: AsyncIterable<string>, name: string): AsyncGenerator<readonly InputRow[]> {
  let [rest, line, number] = ['', 0, 0];
  const rowsIn = (lines: readonly string[]) =>
    lines.flatMap((text): readonly InputRow[] => {
      line += 1;
      if (text.trim() === '') return [];
      number += 1;
      return [{ number, line, ...rowOf(parsed(text)) }];
    });
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield rowsIn(lines);
    if (rest.length > mostOfLine)
      throw usage(`line ${line + 1} of "${name}" is longer than 1 MB`, 'write each object on one line');
  }
  yield rowsIn([rest]);
}

/** Reads an array of objects. The whole array is in memory, so its size is limited. */
export async function* arrayRows(texts: AsyncIterable<string>, name: string): AsyncGenerator<readonly InputRow[]> {
  const pieces: string[] = [];
  let size = 0;
  for await (const text of texts) {
    pieces.push(text);
    size += Buffer.byteLength(text);
    if (size > mostOfArray)
      throw usage(`"${name}" is a JSON array of more than 100 MB`, 'write it as NDJSON, with one object a line');
  }
  const { value, problem = 'it is not an array' } = parsed(pieces.join(''));
  if (!Array.isArray(value)) throw usage(`"${name}" is not a JSON array: ${problem}`, 'write one array of objects');
  const rows = value.map((item, at) => ({ number: at + 1, line: at + 1, ...rowOf({ value: item }) }));
  for (let at = 0; at < rows.length; at += batchSize) yield rows.slice(at, at + batchSize);
}

type Parsed = Pick<InputRow, 'problem'> & { readonly value?: unknown };

function parsed(text: string): Parsed {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: `it is not JSON: ${error.message}` };
  }
}

function rowOf({ value, problem = 'it is not an object' }: Parsed): Pick<InputRow, 'fields' | 'problem'> {
  return isRecord(value) ? { fields: value } : { fields: {}, problem };
}
