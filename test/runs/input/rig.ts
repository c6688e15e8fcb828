import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { InputRow, TextReader } from '../../../src/runs/input/row.ts';
import { openSource, type Source, type SourceOptions } from '../../../src/runs/input/source.ts';

const folder = mkdtempSync(join(tmpdir(), 'bizmsg-rows-'));
let made = 0;

/** Writes a file with this name and content. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(folder, `${++made}-`)), name);
  writeFileSync(path, content);
  return path;
}

/** Reads its rows, which must be the same in chunks of 1 byte, of 7, and whole. */
export async function read(path: string, options: SourceOptions = {}): Promise<readonly InputRow[]> {
  const [rows = [], ...others] = await Promise.all(
    [65_536, 7, 1].map(async (chunkSize) => rowsIn(await openSource(path, { ...options, chunkSize }))),
  );
  for (const other of others) expect(other).toEqual(rows);
  return rows;
}

export function readText(name: string, content: string | Uint8Array, options: SourceOptions = {}) {
  return read(fileOf(name, content), options);
}

export async function rowsIn(source: Source): Promise<readonly InputRow[]> {
  const rows: InputRow[] = [];
  for await (const batch of source.rows()) rows.push(...batch);
  return rows;
}

/** Reads a text in the given chunks. */
export function inPieces(
  pieces: readonly string[],
  reader: (give: (row: InputRow) => void) => TextReader,
): readonly InputRow[] {
  const rows: InputRow[] = [];
  const { push } = reader((row) => rows.push(row));
  for (const piece of pieces) push(piece, false);
  push('', true);
  return rows;
}

/** Splits a text into chunks of this size. */
export function cut(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

export function fields(rows: readonly InputRow[]): readonly unknown[] {
  return rows.map((row) => ('fields' in row ? row.fields : row.reason));
}
