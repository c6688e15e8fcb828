import { CliError } from '../../base/errors.ts';

interface Words {
  /** The command that lists what there is. */
  readonly see?: string;
  /** What the sandbox calls its own way, and a command line another. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** What the sandbox refuses, told to whoever typed a command. */
export async function inOurWords<T>(asked: Promise<T>, { see, flags = {} }: Words): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { exit, code, message, hint, cause } = error;
    const ours = Object.entries(flags).reduce((text, [theirs, flag]) => text.replaceAll(theirs, flag), message);
    const where = exit === 'notFound' && see !== undefined ? `see bizmsg ${see}` : hint;
    throw new CliError(exit, code, ours, { hint: where, cause });
  }
}
