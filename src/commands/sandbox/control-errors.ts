import { CliError } from '../../base/errors.ts';

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
