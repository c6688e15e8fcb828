import type { Summary } from '../../bulk/run/summary.ts';
import { waysWithUnsure } from '../../bulk/run/unsure-ways.ts';
import type { Context } from '../../cli/command.ts';

/** A run that was stopped goes on first. */
export function sayUnsure({ note }: Pick<Context, 'note'>, { unsure, rows, stopped }: Summary): void {
  if (unsure > 0 && !stopped) note('unsure', waysWithUnsure(unsure, rows));
}
