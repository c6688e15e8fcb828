import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { unsafe } from '../../../src/base/errors.ts';
import { type Input, type InputContext, openInput } from '../../../src/batches/input/input.ts';
import type { InputRow } from '../../../src/batches/input/row.ts';

type Content = string | Uint8Array;

interface Asked {
  readonly encoding?: string;
  readonly sheet?: string;
  /** stdin, in these pieces. */
  readonly stdin?: readonly Content[];
  /** The answers of a person on a terminal. */
  readonly answer?: 'yes' | 'no';
  readonly signal?: AbortSignal;
}

/** Writes a file with this name and content. */
export function fileOf(name: string, content: Content): string {
  const path = join(mkdtempSync(join(tmpdir(), 'bizmsg-input-')), name);
  writeFileSync(path, content);
  return path;
}

/** Opens a file, or stdin. */
export async function open(file: string, { stdin = [], answer, signal, ...options }: Asked = {}) {
  const notes: string[] = [];
  const shown = file === '-' ? 'stdin' : file;
  const questions: string[] = [];
  const context: InputContext = {
    note: (_, text) => void notes.push(text.slice(`${shown}: `.length)),
    takeStdin: () => Readable.from(stdin.map((piece) => Buffer.from(piece))),
    interactive: answer !== undefined,
    interaction: {
      confirm: async (question) => {
        questions.push(question);
        if (answer === 'no') throw unsafe('declined', 'declined; nothing was done');
      },
      spin: async (_, work) => work,
    },
  };
  const input = await openInput(context, file, { ...options, signal: signal ?? new AbortController().signal });
  return { input, notes, questions };
}

/** Reads a file with this name and content. */
export async function read(name: string, content: Content, asked: Asked = {}) {
  return readFile(fileOf(name, content), asked);
}

export async function readFile(file: string, asked: Asked = {}) {
  const opened = await open(file, asked);
  return { ...opened, rows: await rowsOf(opened.input) };
}

/** The bytes as stdin, one by one. */
export async function readBytes(content: Content, asked: Asked = {}) {
  return readFile('-', { ...asked, stdin: Array.from(Buffer.from(content), (byte) => Uint8Array.of(byte)) });
}

export async function rowsOf(input: Input): Promise<readonly InputRow[]> {
  const rows: InputRow[] = [];
  for await (const batch of input.rows()) rows.push(...batch);
  input.close();
  return rows;
}

/** The fields of each row, or why it cannot be read. */
export function fields(rows: readonly InputRow[]): readonly unknown[] {
  return rows.map((row) => row.problem ?? row.fields);
}

/** A usage error with this message and hint, or parts of them. */
export function refusal(message: RegExp | string, hint?: string) {
  const isIt: unknown = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  const isHinted: unknown = expect.stringContaining(hint ?? '');
  return { exit: 'usage', message: isIt, ...(hint !== undefined && { hint: isHinted }) };
}
