import sax from 'sax';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { CliError, usage } from '../../base/errors.ts';
import type { Request } from './row.ts';

/** The parts of an Excel workbook, by their paths in lower case. */
export interface Parts {
  readonly request: Request;
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
}

export async function openParts(bytes: Buffer, request: Request): Promise<Parts> {
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
    return { request, zip, entries };
  } catch (error) {
    throw damaged(error, request.name);
  }
}

type Attributes = Readonly<Record<string, string | undefined>>;

/** Functions by the name of a tag, without its namespace. */
export interface Handlers {
  readonly open: Readonly<Record<string, (attributes: Attributes) => void>>;
  /** With the text since the last tag. */
  readonly close?: Readonly<Record<string, (text: string) => void>>;
}

/** Bytes that a part may unpack to: a small file can unpack to any size. */
const mostBytes = 1 << 28;

export async function readPart(parts: Parts, path: string, handlers: Handlers): Promise<void> {
  for await (const _ of readingPart(parts, path, handlers));
}

/** Reads a part, if there is one, and yields after each chunk. */
export async function* readingPart(
  { request: { name, signal }, zip, entries }: Parts,
  path: string,
  handlers: Handlers,
): AsyncGenerator<void> {
  const entry = entries.get(path.toLowerCase());
  if (!entry) return;
  const parser = parserFor(handlers);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    // An archive that unpacks to more than it states is damaged.
    if (entry.uncompressedSize > mostBytes) throw new Error(`it unpacks to more than ${mostBytes >> 20} MB`);
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      parser.write(decoder.decode(chunk, { stream: true }));
      signal.throwIfAborted();
      yield;
    }
    parser.close();
    yield;
  } catch (error) {
    throw signal.aborted ? error : damaged(error, name);
  }
}

function parserFor({ open, close = {} }: Handlers): sax.SAXParser {
  let text = '';
  const add = (more: string) => (text += more);
  return Object.assign(sax.parser(true), {
    ontext: add,
    oncdata: add,
    onerror(error: Error) {
      throw error;
    },
    onopentag({ name, attributes }: { readonly name: string; readonly attributes: Attributes }) {
      text = '';
      open[local(name)]?.(attributes);
    },
    onclosetag(name: string) {
      close[local(name)]?.(text);
      text = '';
    },
  });
}

/** A name without its namespace. */
export function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export const saveAs = 'open it in a spreadsheet, and save the sheet as .xlsx or CSV (UTF-8)';

function damaged(error: unknown, name: string): unknown {
  if (error instanceof CliError || !(error instanceof Error)) return error;
  return usage(`"${name}" cannot be read as a workbook: ${error.message.split('\n')[0]}`, saveAs);
}
