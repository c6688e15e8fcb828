import type { Context } from '../../cli/command.ts';
import type { RunTarget } from '../../cli/run-client.ts';
import { unsafe, usage } from '../../errors.ts';
import type { RunInput } from './run-params.ts';

/** Whoever sends with a live key says how many rows that is; no --yes stands in for it. */
export async function confirmCount(
  context: Context,
  { mode }: RunTarget,
  rows: number,
  { expectCount }: Pick<RunInput, 'expectCount'>,
): Promise<void> {
  if (mode === 'sandbox' || expectCount !== undefined) return;
  if (!context.interactive) {
    const hint = `if it is meant, add --expect-count ${rows}`;
    throw unsafe('count-missing', `${rows} rows are to be sent with a live key, and nobody confirmed it`, hint);
  }
  await context.ask(`Sending ${rows} rows with a live key. Type their number to go on`, '--expect-count', (text) => {
    if (text.trim() !== String(rows)) throw usage(`it is ${rows}`, 'Ctrl-C leaves without sending anything');
  });
}
