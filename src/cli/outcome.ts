import { CliError } from '../base/errors.ts';
import type { Emit, Outcome } from './command.ts';
import type { Context } from './context.ts';
import { unwritable } from './output/reporter.ts';
import type { Globals } from './globals.ts';
import { createPrinter, type Printer, type PrinterOptions } from './output/printer.ts';
import { jsonText } from '../base/json.ts';

/** What the command came to; in a dry run, the request that it would have made. */
export async function outcomeOf(perform: () => Promise<Outcome>, { dryRun }: Globals): Promise<Outcome> {
  if (!dryRun) return perform();
  const { Planned, curlLine } = await import('../client/dry-run.ts');
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof Planned)) throw error;
    const { request } = error;
    return { data: request, text: () => curlLine(request), exit: 'done', changed: false, piped: 'json', isPlan: true };
  }
}

/** Shows items; one that cannot be written is a failure that a run can tell of. */
export function emitting({ item }: Printer): Emit {
  return (data, text) =>
    item(data, text).catch((error: unknown) => {
      throw unwritable(error) ?? error;
    });
}

/** Ends what a command prints whose items are the result: also that of one that failed, so that it can be read. */
export async function ended(perform: () => Promise<Outcome>, { end }: Printer): Promise<Outcome> {
  try {
    const outcome = await perform();
    await end();
    return outcome;
  } catch (error) {
    await end(true).catch(() => {});
    throw error;
  }
}

/** After a call that changed something, what cannot be printed as asked is printed as it is. */
export async function print(
  { data, text, changed, piped, first, exit, unprinted, isPlan }: Outcome,
  given: PrinterOptions,
  context: Pick<Context, 'note'>,
): Promise<void> {
  if (isPlan && given.format === 'id')
    return context.note('no-id', 'nothing was sent, so there is no id; -o json shows the request');
  const options = { ...given, piped, first };
  try {
    await createPrinter(options).print(data, text);
  } catch (error) {
    const full = unwritable(error);
    if (full && unprinted !== undefined) throw keptElsewhere(full, exit, unprinted);
    if (full && changed) {
      const hint = `do not repeat it; what it came to: ${jsonText(data)}`;
      throw new CliError('unsure', full.code, `it was done, but ${full.message}`, { hint, done: 'unknown' });
    }
    if (!(error instanceof CliError && error.exit === 'usage' && changed)) throw error;
    context.note('not-as-asked', `${error.message}; the whole result is shown`);
    const format = options.format === 'id' ? undefined : options.format;
    await createPrinter({ ...options, format, columns: undefined, query: undefined }).print(data, text);
  }
}

/** What stopped the command says more than that nobody can read of it. */
function keptElsewhere(full: CliError, exit: Outcome['exit'], hint: string): CliError {
  if (!(exit instanceof CliError) || exit.code === full.code)
    return new CliError(full.exit, full.code, full.message, { hint, cause: full });
  return new CliError(exit.exit, exit.code, `${exit.message}; and ${full.message}`, { hint, cause: full });
}
