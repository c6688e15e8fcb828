import { unsafe, usage } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { rowsText } from '../cli/output/figures.ts';
import type { RunTarget } from '../session/session.ts';
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

/**
 * A live run asks on a terminal. Elsewhere it requires a limit of its rows; `--yes` alone is not enough, but on a
 * terminal it accepts such a limit as the answer.
 */
export function needsConfirmation(
  { mode }: RunTarget,
  { expectCount, atMost }: RunInput,
  { interactive, given }: Pick<Context, 'interactive' | 'given'>,
): boolean {
  const isLimited = expectCount !== undefined || atMost !== undefined;
  return mode !== 'sandbox' && !(isLimited && (given.yes || !interactive));
}

/** Fewer rows are all shown, and confirmed with a yes. */
export const fewRows = 10;

export async function confirmLive(context: Context, due: number, overview: () => Promise<string>): Promise<void> {
  if (due === 0) return;
  if (!context.interactive) {
    const hint = `nothing was sent; add --at-most ${due}, or --expect-count with the number of rows in the input`;
    const also = context.given.yes ? '; --yes is not enough' : '';
    throw unsafe('count-missing', `sending ${rowsText(due)} with a live key must be confirmed${also}`, hint);
  }
  context.reporter.say(await overview());
  if (due < fewRows) return context.interaction.confirm(due === 1 ? 'Send it?' : `Send these ${due}?`);
  await context.ask(`Type ${due} to send:`, '--at-most', (text) => {
    if (text.trim().replaceAll(',', '') !== String(due))
      throw usage(`type ${due} to send them`, 'Ctrl-C cancels, and nothing is sent');
  });
}
