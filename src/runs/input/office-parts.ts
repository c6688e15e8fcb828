import sax from 'sax';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { type CliError, usage } from '../../base/errors.ts';

/** The parts of an Office document, by their paths in lower case. */
export interface Parts {
  /** The name of the document in messages. */
  readonly name: string;
  readonly zip: ZipFile;
  readonly entries: ReadonlyMap<string, Entry>;
}

export async function openParts(path: string, name: string): Promise<Parts> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  return { name, zip, entries };
}

/** Bytes that a part may unpack to. Excel's longest sheet with ten columns has 600 MB. */
const mostBytes = 1 << 30;
/** Characters of a cell; Excel allows 32,767. */
const mostText = 1 << 20;
/** Tags within each other, and attributes of a tag: the parser keeps them in memory. */
const [mostOpen, mostAttributes] = [200, 200];

export type Attributes = Readonly<Record<string, string | undefined>>;

export interface Handlers {
  /** Bytes that the part may unpack to. */
  readonly most?: number;
  open?(tag: string, attributes: Attributes): void;
  /** With the text since the last tag. */
  close?(tag: string, text: string): void;
}

/** Reads a part; one that is missing is empty. */
export async function read(book: Parts, part: string, handlers: Handlers): Promise<void> {
  for await (const _ of reading(book, part, handlers));
}

/** Reads a part, and yields after each chunk. */
export async function* reading({ name, zip, entries }: Parts, part: string, handlers: Handlers): AsyncGenerator<void> {
  const entry = entries.get(part.toLowerCase());
  if (!entry) return;
  const { most = mostBytes } = handlers;
  // The unpacked size that the archive states; reading more of it is an error.
  if (entry.uncompressedSize > most) throw tooLarge(name, most);
  const parser = sax.parser(true);
  let [text, depth, count] = ['', 0, 0];
  const add = (chunk: string) => {
    text += chunk;
    checkText(text);
  };
  Object.assign(parser, {
    onerror(error: Error) {
      throw error;
    },
    onattribute() {
      count += 1;
      if (count > mostAttributes) throw new Error(`a tag has more than ${mostAttributes} attributes`);
    },
    onopentag({ name: tag, attributes }: { readonly name: string; readonly attributes: Attributes }) {
      [text, count] = ['', 0];
      depth += 1;
      if (depth > mostOpen) throw new Error(`tags nest deeper than ${mostOpen} levels`);
      handlers.open?.(local(tag), attributes);
    },
    onclosetag(tag: string) {
      handlers.close?.(local(tag), text);
      text = '';
      depth -= 1;
    },
    ontext: add,
    oncdata: add,
  });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield;
  }
  parser.close();
  yield;
}

/** Refuses the text of a cell that is too long. */
export function checkText(text: string): void {
  if (text.length > mostText) throw new Error('a cell has more than a million characters');
}

export function local(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

export function tooLarge(name: string, most: number): CliError {
  return usage(
    `"${name}" unpacks to more than ${most >> 20} MB`,
    'remove what is not needed from it, or save the sheet as CSV (UTF-8)',
  );
}
