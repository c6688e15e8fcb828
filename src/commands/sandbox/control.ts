import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { Remote } from '../../sandbox/remote/remote.ts';

/** The control plane of the sandbox that the environment names, or of that of the profile `local`, started on demand. */
export async function localSandbox(context: Context): Promise<Remote> {
  const { controlled } = await context.sandboxes();
  return remoteOf(context, await controlled());
}

/** The control plane of a running sandbox. */
export async function remoteOf(context: Context, locator: Locator): Promise<Remote> {
  const [{ openRemote }, { proven }] = await Promise.all([
    import('../../sandbox/remote/remote.ts'),
    context.sandboxes(),
  ]);
  return openRemote(await proven(locator));
}

interface Wording {
  /** The command that lists the valid values, named when one is not found. */
  readonly see?: string;
  /** Replaces words of the sandbox by those of the command line. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** Rewords a sandbox's refusal for the command line. */
export async function inCommandWords<T>(answer: Promise<T>, { see, flags = {} }: Wording): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exit, code, message, hint, cause } = error;
    const reworded = Object.entries(flags).reduce((text, [word, flag]) => text.replaceAll(word, flag), message);
    const reference = exit === 'notFound' && see !== undefined ? `see bizmsg ${see}` : hint;
    throw new CliError(exit, code, reworded, { hint: reference, cause });
  }
}
