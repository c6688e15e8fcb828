import type { Host } from '../base/host.ts';
import { type Batch, isWorking } from '../store/batch.ts';
import type { Totals } from '../store/tally.ts';
import type { State } from '../store/views.ts';
import { isDead } from '../base/worker.ts';
import { isKnown } from './answers.ts';

export const outcomes = ['sent', 'failed', 'unsure', 'waiting', 'not-sent'] as const;
export type Outcome = (typeof outcomes)[number];

/** The outcome of a row in a state. A row under way may have been sent. */
export const outcomeOf: Readonly<Record<State, Outcome>> = {
  waiting: 'waiting',
  'under way': 'unsure',
  sent: 'sent',
  failed: 'failed',
  unsure: 'unsure',
  held: 'not-sent',
  'not sent': 'not-sent',
  twice: 'not-sent',
  cancelled: 'not-sent',
};

/** How many rows of a batch have each outcome; `rows` is their sum. */
export function countsIn(totals: Totals = new Map()) {
  const count = (outcome: Outcome) =>
    [...totals].reduce((sum, [state, rows]) => sum + (outcomeOf[state] === outcome ? rows : 0), 0);
  return {
    rows: [...totals.values()].reduce((sum, rows) => sum + rows, 0),
    sent: count('sent'),
    waiting: count('waiting'),
    failed: count('failed'),
    unsure: count('unsure'),
    not_sent: count('not-sent'),
  };
}

export type BatchState = 'working' | 'cut off' | 'cancelled' | 'stopped' | 'done';

export function stateOf(batch: Batch, waiting: number, host: Pick<Host, 'now' | 'kill'>): BatchState {
  if (isWorking(batch, host.now()) && !isDead(batch.worker, host)) return 'working';
  if (batch.isLoading) return 'cut off';
  if (batch.isCancelled) return 'cancelled';
  return waiting > 0 ? 'stopped' : 'done';
}

/** Why a row has its outcome; undefined if there is nothing to say. */
export function reasonOf({ state, reason }: { state: State; reason: string | undefined }): string | undefined {
  switch (state) {
    case 'waiting':
      return undefined;
    case 'under way':
      return 'on its way';
    case 'sent':
      if (reason === 'refused') return 'a newer text was refused';
      return isKnown(reason) ? reason : undefined;
    case 'unsure':
      // A process died while it sent the row once more.
      return reason === undefined || reason === 'sent' || reason === 'unsure' ? 'the process ended' : reason;
    case 'twice':
      return 'listed twice';
    case 'cancelled':
      return reason ?? 'cancelled';
    case 'failed':
    case 'held':
    case 'not sent':
    default:
      return reason;
  }
}
