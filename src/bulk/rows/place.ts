import type { Row } from '../row.ts';
import type { Source } from './source.ts';

/** By what people find a row: its line, and in an array of JSON, whose lines say nothing, its number. */
export type Unit = 'line' | 'record';

export function unitOf({ format }: Pick<Source, 'format'>): Unit {
  return format === 'json' ? 'record' : 'line';
}

export function placeOf({ line, number }: Pick<Row, 'line' | 'number'>, source: Pick<Source, 'format'>): number {
  return unitOf(source) === 'record' ? number : line;
}
