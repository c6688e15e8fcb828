import type { Readable, Writable } from 'node:stream';
import { CliError, unsafe, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { isInteractive } from '../session/caller.ts';
import type { Globals } from './globals.ts';
import { folded, safeLine } from './output/text.ts';

/** Input from the user besides the command line. */
export type Prompts = ReturnType<typeof createPrompts>;

/** Throws a usage error for an answer that is asked for again. */
type Check = (text: string) => unknown;

/** `onKeyboard` is called before stdin is read from a terminal. */
export function createPrompts(host: Host, flags: Globals, onKeyboard = () => {}) {
  const interactive = isInteractive(host, flags);
  let isTaken = false;
  /** stdin, which can be used once. */
  const takeStdin = (): Readable => {
    if (isTaken) throw usage('stdin is used twice', 'it can be read once: put one of them into a file');
    isTaken = true;
    if (host.stdinIsTerminal) onKeyboard();
    return host.streams.stdin;
  };
  /** A file's bytes, or stdin's for `-`. */
  const bytes = async (path: string): Promise<Buffer> => {
    const { fileContent, streamContent } = await import('./input.ts');
    return path === '-' ? streamContent(takeStdin(), 'stdin', host.signal) : fileContent(path, host.signal);
  };
  /** A file's text, or stdin's for `-`. */
  const read = async (path: string): Promise<string> => {
    const [content, { utf8 }] = await Promise.all([bytes(path), import('./input.ts')]);
    return utf8(content, path === '-' ? 'stdin' : path);
  };
  return {
    /** Whether the user can be prompted. */
    interactive,
    takeStdin,
    bytes,
    read,
    stdin: () => read('-'),
    /** Prompts on a terminal; elsewhere throws an error that names the option. */
    async ask(question: string, flag: string, check?: Check, usual?: string): Promise<string> {
      if (!interactive) throw missing(question, flag);
      const { input } = await import('@inquirer/prompts');
      // A wrong answer is typed again, not appended to.
      const theme = { validationFailureMode: 'clear' } as const;
      const message = safeLine(question);
      const options = { message, theme, ...validating(check, host), ...(usual && { default: usual }) };
      return prompted(host, (streams) => input(options, streams));
    },
    async askSecret(question: string, flag: string, check?: Check): Promise<string> {
      if (!interactive) throw missing(question, flag);
      const { password } = await import('@inquirer/prompts');
      const options = { message: safeLine(question), mask: '*', toggleMask: false, ...validating(check, host) };
      return prompted(host, (streams) => password(options, streams));
    },
    /** Throws unless the user confirms, or --yes is given. */
    async confirm(question: string, hint?: string): Promise<void> {
      if (flags.yes) return;
      if (!interactive)
        throw unsafe('not-confirmed', `this needs confirmation: ${question}`, 'nothing was done; add --yes to confirm');
      const { confirm } = await import('@inquirer/prompts');
      // A check mark would look like a yes.
      const options = { message: safeLine(question), default: false, theme: { prefix: '?' } };
      const isConfirmed = await prompted(host, (streams) => confirm(options, streams));
      if (!isConfirmed) throw unsafe('declined', 'declined; nothing was done', hint);
    },
    /** Prompts for a choice; only if `interactive`. Once it is made, its short name is shown. */
    async choose<T extends { readonly name: string; readonly short?: string }>(
      question: string,
      choices: readonly T[],
    ): Promise<T> {
      if (!interactive) throw missing(question, 'an option');
      const { select } = await import('@inquirer/prompts');
      const values = choices.map((value) => ({
        name: safeLine(value.name),
        short: safeLine(value.short ?? value.name),
        value,
      }));
      // Nothing shows that more choices follow a short page.
      const options = { message: promptLine(question, host), choices: values, pageSize: 15 };
      return prompted(host, (streams) => select(options, streams));
    },
  };
}

function missing(question: string, flag: string): CliError {
  const hint = `give it with ${flag}; bizmsg asks only on a terminal, and not with --no-input or in CI`;
  return usage(`${question} is missing`, hint);
}

/** Turns a reader that throws into the check of a prompt. Its message may quote the input. */
function validating(check: Check | undefined, { stderr }: Pick<Host, 'stderr'>) {
  if (!check) return {};
  const validate = (text: string) => {
    try {
      check(text);
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

/** The output is stderr, since stdout is for results. */
type Streams = { readonly input: Readable; readonly output: Writable; readonly signal: AbortSignal };

/**
 * Ctrl-D closes a prompt without an answer; only some runtimes let it notice that at exit. After Ctrl-Z and `fg`, its
 * input is paused, too, but still raw.
 */
async function prompted<T>({ streams, signal }: Host, prompt: (streams: Streams) => Promise<T>): Promise<T> {
  const stdin: Readable & { readonly isRaw?: boolean } = streams.stdin;
  const closed = new AbortController();
  const onPause = () =>
    setImmediate(() => {
      if (!stdin.isPaused()) return;
      if (stdin.isRaw) stdin.resume();
      else closed.abort();
    });
  stdin.on('pause', onPause);
  try {
    return await prompt({ input: stdin, output: streams.stderr, signal: AbortSignal.any([signal, closed.signal]) });
  } finally {
    stdin.off('pause', onPause);
  }
}
