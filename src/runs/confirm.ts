import type { Context } from '../cli/command.ts';
import type { RunTarget } from '../cli/run-client.ts';
import { unsafe, usage } from '../errors.ts';
import { whole } from '../terminal/run-progress.ts';
import type { RunInput } from './options.ts';

/** Throws unless the input has as many rows as `--expect-count` says; `--first` counts. */
export function checkCount(
  rows: number,
  { expectCount, first = Infinity }: Pick<RunInput, 'expectCount' | 'first'>,
): void {
  const counted = Math.min(rows, first);
  if (expectCount === undefined || expectCount === counted) return;
  throw unsafe('count', `the input has ${counted} rows, not ${expectCount}`, 'nothing was sent; is it the right file?');
}

/** Sending with a live key needs the number of rows, typed or as an option; `--yes` does not stand for it. */
export function needsConfirmation({ mode }: RunTarget, { expectCount, atMost }: RunInput): boolean {
  return mode !== 'sandbox' && expectCount === undefined && atMost === undefined;
}

export async function confirmLive(context: Context, due: number): Promise<void> {
  if (due === 0) return;
  const rows = due === 1 ? '1 row' : `${whole(due)} rows`;
  if (!context.interactive) {
    const hint = `if it is meant, add --at-most ${due}, or --expect-count with the number of rows in the input`;
    throw unsafe('count-missing', `${rows} would be sent with a live key, and nobody confirmed it`, hint);
  }
  await context.ask(`Sending ${rows} with a live key. Type the number to go on`, '--at-most', (text) => {
    if (text.trim().replaceAll(',', '') !== String(due))
      throw usage(`it is ${due}`, 'Ctrl-C leaves without sending anything');
  });
}
