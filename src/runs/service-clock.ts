import { configuration } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { spanText } from '../cli/output/figures.ts';
import type { OpenedLedger, RunClient } from '../session/session.ts';

const hour = 3_600_000;
const day = 24 * hour;

/**
 * Compares the clock with that of the service, before a live batch: a message that is recorded at a wrong time would be
 * sent twice, or held back, later. Returns whether the clock is known to be right, or corrected.
 */
export function checkClock({ note }: Context, { skew }: Pick<RunClient, 'skew'>, { clock }: OpenedLedger): boolean {
  const by = skew();
  if (by === undefined) return false;
  const apart = `${spanText(Math.abs(by) / 1_000)} ${by > 0 ? 'behind' : 'ahead of'} that of the service`;
  if (Math.abs(by) > day)
    throw configuration(
      'clock-wrong',
      `the clock of this machine is ${apart}`,
      'set the clock, then run the same command again: what was sent is recorded with its time',
    );
  if (Math.abs(by) > hour && clock.by === 0) {
    clock.by = by;
    note('clock', `the clock of this machine is ${apart}; recorded times are corrected by that`);
  }
  return true;
}
