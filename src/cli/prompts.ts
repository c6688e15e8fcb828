import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { CliError, unsafe, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isInteractive } from '../session/current-caller.ts';
import type { Globals } from './globals.ts';
import { safeLine } from './output/text.ts';

/** What comes from the user besides the command line. */
export interface Prompts {
  /** Asks on a terminal; anywhere else it names the flag that gives the value. */
  ask(question: string, flag: string, read?: (text: string) => unknown): Promise<string>;
  askSecret(question: string, flag: string): Promise<string>;
  /** Goes on only with a yes: from the terminal, or from --yes. */
  confirm(question: string): Promise<void>;
  /** Asks which one; only if `interactive`. */
  choose<T extends { readonly name: string }>(question: string, choices: readonly T[]): Promise<T>;
  /** Whether somebody is there to be asked. */
  readonly interactive: boolean;
  /** All of stdin, into a new file of this user alone, however much it is. */
  stdinTo(path: string, signal: AbortSignal): Promise<void>;
  /** All of stdin, which nothing else ever reads. */
  stdin(): Promise<string>;
  /** A file's text, or stdin's for `-`. */
  read(path: string): Promise<string>;
  /** The same as bytes, whatever they are. */
  bytes(path: string): Promise<Buffer>;
}

export function createPrompts(host: Host, given: Globals): Prompts {
  const asker = async (refusal: CliError): Promise<Asker> => {
    if (!isInteractive(host, given)) throw refusal;
    return createAsker({ ...host.streams, signal: host.signal });
  };
  const missing = (question: string, flag: string) =>
    usage(`${question} is missing, and nobody is there to be asked`, `give it with ${flag}`);
  let taken = false;
  const take = () => {
    if (taken) throw usage('stdin is asked for twice', 'it can be read once: give one of them in a file');
    taken = true;
  };
  const stdin = () => {
    take();
    return readAll(host);
  };
  const content = (path: string) => (path === '-' ? stdin() : contentOf(path, host.signal));
  return {
    interactive: isInteractive(host, given),
    stdinTo: async (path, signal) => {
      take();
      const [{ pipeline }, { limitLines }] = await Promise.all([import('node:stream/promises'), import('./input.ts')]);
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await pipeline(host.streams.stdin, limitLines('stdin'), file, { signal }).catch((error: unknown) => {
        throw signal.aborted ? new CliError('interrupted', 'interrupted', 'interrupted; nothing was sent') : error;
      });
    },
    ask: async (question, flag, read) => (await asker(missing(question, flag))).text(question, read && checked(read)),
    askSecret: async (question, flag) => (await asker(missing(question, flag))).secret(question),
    confirm: async (question) => {
      if (given.yes) return;
      const refusal = unsafe('not-confirmed', `${question}: nobody is there to confirm it`, 'add --yes if it is meant');
      if (!(await (await asker(refusal)).confirm(question))) throw unsafe('declined', 'declined; nothing was changed');
    },
    choose: async (question, choices) => (await asker(missing(question, 'an option'))).choose(question, choices),
    stdin: async () => text(await stdin(), 'stdin'),
    read: async (path) => text(await content(path), path === '-' ? 'stdin' : path),
    bytes: content,
  };
}

async function readAll({ streams: { stdin }, signal }: Host): Promise<Buffer> {
  const { streamContent } = await import('./input.ts');
  return streamContent(stdin, 'stdin', signal);
}

/** A prompt's check from a reader that throws what is wrong. */
function checked(read: (text: string) => unknown): (text: string) => true | string {
  return (text) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (error instanceof CliError) return error.hint ? `${error.message}: ${error.hint}` : error.message;
      throw error;
    }
  };
}

async function contentOf(path: string, signal: AbortSignal): Promise<Buffer> {
  const { fileContent } = await import('./input.ts');
  try {
    return await fileContent(path, signal);
  } catch (error) {
    if (error instanceof CliError || signal.aborted) throw error;
    const { suggestFile } = await import('../base/suggest.ts');
    throw usage(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, suggestFile(path));
  }
}

/** Bytes that are no text would be sent as something else, in silence. */
function text(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}

interface AskOptions {
  readonly stdin: Readable;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

type Check = (text: string) => true | string;

interface Asker {
  text(question: string, check?: Check): Promise<string>;
  secret(question: string, check?: Check): Promise<string>;
  confirm(question: string): Promise<boolean>;
  /** Returns the chosen one. */
  choose<T extends Named>(question: string, choices: readonly T[]): Promise<T>;
}

interface Named {
  readonly name: string;
}

/** Prompts on stderr, so that stdout stays the result's alone. */
async function createAsker({ stdin, stderr, signal }: AskOptions): Promise<Asker> {
  const { confirm, input, password, select } = await import('@inquirer/prompts');
  const streams = { input: stdin, output: stderr, signal };
  return {
    text: (question, check) => input({ message: safeLine(question), ...checking(check) }, streams),
    secret: (question, check) =>
      password({ message: safeLine(question), mask: '*', toggleMask: false, ...checking(check) }, streams),
    confirm: (question) => confirm({ message: safeLine(question), default: false }, streams),
    choose: (question, choices) =>
      select(
        {
          message: safeLine(question),
          choices: choices.map((value) => ({ name: safeLine(value.name), value })),
        },
        streams,
      ),
  };
}

/** A check may quote what was typed, and a question names from files: neither acts on the terminal. */
function checking(check: Check | undefined): { validate?: Check } {
  if (!check) return {};
  const validate = (text: string) => {
    const found = check(text);
    return found === true ? true : safeLine(found);
  };
  return { validate };
}
