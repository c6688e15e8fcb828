import type { Context } from '../cli/command.ts';
import type { RunTarget } from '../session/run-client.ts';
import { unsafe, usage } from '../base/errors.ts';
import { whole } from '../cli/output/progress.ts';
import type { RunInput } from './options.ts';

/** Throws unless the input has as many rows as `--expect-count` says; `--first` counts. */
export function checkCount(
  rows: number,
  { expectCount, first = Infinity }: Pick<RunInput, 'expectCount' | 'first'>,
): void {
  const counted = Math.min(rows, first);
  if (expectCount === undefined || expectCount === counted) return;
  throw unsafe(
    'count',
    `the input has ${rowsText(counted)}, not ${expectCount}`,
    'nothing was sent; is this the right file?',
  );
}

/** Sending with a live key needs the number of rows, typed or as an option; `--yes` does not stand for it. */
export function needsConfirmation({ mode }: RunTarget, { expectCount, atMost }: RunInput): boolean {
  return mode !== 'sandbox' && expectCount === undefined && atMost === undefined;
}

export async function confirmLive(context: Context, due: number): Promise<void> {
  if (due === 0) return;
  const rows = rowsText(due);
  if (!context.interactive) {
    const hint = `nothing was sent; add --at-most ${due}, or --expect-count with the number of rows in the input`;
    throw unsafe('count-missing', `sending ${rows} with a live key must be confirmed`, hint);
  }
  await context.ask(`${rows} will be sent with a live key. Type the number to continue`, '--at-most', (text) => {
    if (text.trim().replaceAll(',', '') !== String(due))
      throw usage(`type ${due} to send ${due === 1 ? 'it' : 'them'}`, 'Ctrl-C cancels, and nothing is sent');
  });
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${whole(count)} rows`;
}
