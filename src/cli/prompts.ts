import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type * as prompts from '@inquirer/prompts';
import { CliError, unsafe, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isInteractive } from '../session/caller.ts';
import type { Globals } from './globals.ts';
import { folded, safeLine } from './output/text.ts';

/** Input from the user besides the command line. */
export interface Prompts {
  /** Prompts on a terminal; elsewhere throws an error that names the option. */
  ask(question: string, flag: string, read?: (text: string) => unknown, usual?: string): Promise<string>;
  askSecret(question: string, flag: string, read?: (text: string) => unknown): Promise<string>;
  /** Throws unless the user confirms, or --yes is given. */
  confirm(question: string, hint?: string): Promise<void>;
  /** Prompts for a choice; only if `interactive`. */
  choose<T extends { readonly name: string }>(question: string, choices: readonly T[]): Promise<T>;
  /** Whether the user can be prompted. */
  readonly interactive: boolean;
  /** Copies stdin, of any length, into a new file with mode 0600. */
  stdinTo(path: string, signal: AbortSignal): Promise<void>;
  /** Reads all of stdin, once. */
  stdin(): Promise<string>;
  /** A file's text, or stdin's for `-`. */
  read(path: string): Promise<string>;
  /** A file's bytes, or stdin's for `-`. */
  bytes(path: string): Promise<Buffer>;
}

/** `onKeyboard` is called before stdin is read from a terminal. */
export function createPrompts(host: Host, given: Globals, onKeyboard = () => {}): Prompts {
  const prompt = async <T>(refusal: CliError, ask: (kinds: Kinds, streams: Streams) => Promise<T>): Promise<T> => {
    if (!isInteractive(host, given)) throw refusal;
    // By name, since the build would include all others, too: 560 KB.
    const { confirm, input, password, select } = await import('@inquirer/prompts');
    return untilClosed(host, (streams) => ask({ confirm, input, password, select }, streams));
  };
  const missing = (question: string, flag: string) =>
    usage(
      `${question} is missing`,
      `give it with ${flag}; bizmsg asks only on a terminal, and not with --no-input or in CI`,
    );
  let taken = false;
  const take = () => {
    if (taken) throw usage('stdin is used twice', 'it can be read once: put one of them into a file');
    taken = true;
    if (host.stdinIsTerminal) onKeyboard();
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
        if (signal.aborted) throw new CliError('interrupted', 'interrupted', 'interrupted; nothing was sent');
        // The error of a failed write does not name its file.
        throw error instanceof Error && !(error instanceof CliError) ? Object.assign(error, { path }) : error;
      });
    },
    ask: (question, flag, read, usual) =>
      prompt(missing(question, flag), ({ input }, streams) =>
        input(
          { message: safeLine(question), ...checking(read, host), ...(usual !== undefined && { default: usual }) },
          streams,
        ),
      ),
    askSecret: (question, flag, read) =>
      prompt(missing(question, flag), ({ password }, streams) =>
        password({ message: safeLine(question), mask: '*', toggleMask: false, ...checking(read, host) }, streams),
      ),
    confirm: async (question, hint) => {
      if (given.yes) return;
      const refusal = unsafe(
        'not-confirmed',
        `this needs confirmation: ${question}`,
        'nothing was done; add --yes to confirm',
      );
      const isConfirmed = await prompt(refusal, ({ confirm }, streams) =>
        // A check mark would look like a yes.
        confirm({ message: safeLine(question), default: false, theme: { prefix: '?' } }, streams),
      );
      if (!isConfirmed) throw unsafe('declined', 'declined; nothing was done', hint);
    },
    choose: (question, choices) =>
      prompt(missing(question, 'an option'), ({ select }, streams) =>
        select(
          {
            message: promptLine(question, host),
            choices: choices.map((value) => ({ name: safeLine(value.name), value })),
            // Nothing shows that more choices follow.
            pageSize: 15,
          },
          streams,
        ),
      ),
    stdin: async () => text(await stdin(), 'stdin'),
    read: async (path) => text(await content(path), path === '-' ? 'stdin' : path),
    bytes: content,
  };
}

async function readAll({ streams: { stdin }, signal }: Host): Promise<Buffer> {
  const { streamContent } = await import('./input.ts');
  return streamContent(stdin, 'stdin', signal);
}

/** Turns a reader that throws into the check of a prompt. Its message may quote the input. */
function checking(
  read: ((text: string) => unknown) | undefined,
  { stderr }: Pick<Host, 'stderr'>,
): { validate?: (text: string) => true | string } {
  if (!read) return {};
  const validate = (text: string) => {
    try {
      read(text);
      return true;
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return promptLine(error.hint ? `${error.message}: ${error.hint}` : error.message, { stderr });
    }
  };
  return { validate };
}

/** Outside text, wrapped between words; the prompt puts two columns before it. */
function promptLine(text: string, { stderr }: Pick<Host, 'stderr'>): string {
  return folded([safeLine(text)], (stderr.columns || 80) - 2);
}

async function contentOf(path: string, signal: AbortSignal): Promise<Buffer> {
  const { fileContent, suggestFile } = await import('./input.ts');
  try {
    return await fileContent(path, signal);
  } catch (error) {
    if (error instanceof CliError || signal.aborted) throw error;
    const { whyUnreadable } = await import('../base/files.ts');
    const reason = whyUnreadable(error) ?? (error instanceof Error ? error.message : String(error));
    throw usage(`"${path}" cannot be read: ${reason}`, suggestFile(path));
  }
}

/** Decodes UTF-8; invalid bytes would be replaced silently. */
function text(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usage(`${from} is not UTF-8 text`);
  }
}

type Kinds = Pick<typeof prompts, 'confirm' | 'input' | 'password' | 'select'>;

interface Streams {
  readonly input: Readable;
  /** stderr, since stdout is for results. */
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/**
 * Ctrl-D closes a prompt without an answer; only some runtimes let it notice that at exit. After Ctrl-Z and `fg`, its
 * input is paused, too, but still raw.
 */
async function untilClosed<T>(
  { streams, signal }: Pick<Host, 'streams' | 'signal'>,
  prompt: (streams: Streams) => Promise<T>,
): Promise<T> {
  const { stdin, stderr }: { readonly stdin: Readable & { readonly isRaw?: boolean }; readonly stderr: Writable } =
    streams;
  const closed = new AbortController();
  const paused = () =>
    setImmediate(() => {
      if (!stdin.isPaused()) return;
      if (stdin.isRaw) stdin.resume();
      else closed.abort();
    });
  stdin.on('pause', paused);
  try {
    return await prompt({ input: stdin, output: stderr, signal: AbortSignal.any([signal, closed.signal]) });
  } finally {
    stdin.off('pause', paused);
  }
}
