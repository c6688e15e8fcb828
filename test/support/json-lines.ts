import { isRecord } from '../../src/contract/readers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Parses lines that must all be JSON objects. */
export function objects(text: string): readonly Fields[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => fields(line));
}

/** The error in the last line of stderr, in a JSON format. */
export function errorIn(stderr: string): Fields {
  const error = objects(stderr).at(-1)?.['error'];
  if (!isRecord(error)) throw new Error(`the last line is not an error: ${stderr}`);
  return error;
}

export function noteCodes(stderr: string): readonly unknown[] {
  return objects(stderr).flatMap(({ note }) => (isRecord(note) ? [note['code']] : []));
}

function fields(text: string): Fields {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`not an object: ${text}`);
  return value;
}
