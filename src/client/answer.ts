import type { Reader } from '../contract/readers.ts';
import { Mismatch } from '../contract/readers.ts';
import { parseJson } from '../json.ts';
import { compression } from './encoding.ts';
import type { Line } from './exchange.ts';
import { failed } from './exchange.ts';
import type { WireAnswer, WireRequest } from './transport.ts';

interface Success {
  readonly answer: WireAnswer;
  readonly reader: Reader<unknown>;
}

/** An answer by its endpoint's reader; an empty one is as good as any where nothing is shown. */
export function readAnswer(line: Line, request: WireRequest, { answer, reader }: Success): unknown {
  // A mark of the order of bytes says nothing in UTF-8.
  const text = answer.body.toString().replace(/^\ufeff/, '');
  const empty = text.trim() === '';
  try {
    return reader(empty ? undefined : parseJson(text));
  } catch (error) {
    const why = empty ? 'it is empty' : (compression(answer) ?? reason(error));
    throw failed(line, request, { kind: 'unreadable', answer, why });
  }
}

function reason(error: unknown): string {
  if (error instanceof Mismatch) return `${error.at} ${error.message}`.trim();
  return error instanceof SyntaxError && error.message.startsWith('it nests') ? error.message : 'it is not JSON';
}
