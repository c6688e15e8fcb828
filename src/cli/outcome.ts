import { CliError } from '../errors.ts';
import type { Outcome } from './command.ts';
import type { Context } from './context.ts';
import { unwritable } from './failed.ts';
import type { Globals } from './globals.ts';
import type { PrinterOptions } from './printer.ts';
import { createPrinter } from './printer.ts';

/** What the command came to; in a dry run, the request that it would have made. */
export async function outcomeOf(perform: () => Promise<Outcome>, { dryRun }: Globals): Promise<Outcome> {
  if (!dryRun) return perform();
  const { Planned, curlLine } = await import('../client/plan.ts');
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof Planned)) throw error;
    const { request } = error;
    return { data: request, text: () => curlLine(request), exit: 'done', changed: false, piped: 'json' };
  }
}

/** After a call that changed something, what cannot be printed as asked is printed as it is. */
export async function print(
  { data, text, changed, piped, first }: Outcome,
  given: PrinterOptions,
  context: Pick<Context, 'note'>,
): Promise<void> {
  const options = { ...given, piped, first };
  try {
    await createPrinter(options).print(data, text);
  } catch (error) {
    const full = unwritable(error);
    if (full && changed) {
      const hint = `do not repeat it; what it came to: ${JSON.stringify(data)}`;
      throw new CliError('unsure', full.code, `it was done, but ${full.message}`, { hint, done: 'unknown' });
    }
    if (!(error instanceof CliError && error.exit === 'usage' && changed)) throw error;
    context.note('not-as-asked', `${error.message}; the whole result is shown`);
    const format = options.format === 'id' ? undefined : options.format;
    await createPrinter({ ...options, format, columns: undefined, query: undefined }).print(data, text);
  }
}
