import { expect } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import type { Ran } from '../../support/cli.ts';

interface Reason {
  readonly outcome: 'failed' | 'unsure' | 'not_sent';
  readonly reason: string;
  readonly count: number;
}

const counts = { rows: 0, sent: 0, failed: 0, unsure: 0, waiting: 0, not_sent: 0, others: 0 };

interface Summary extends Readonly<typeof counts> {
  readonly batch: string;
  readonly id: string;
  readonly is_new: boolean;
  readonly now: { readonly sent: number };
  readonly before: readonly { readonly sent: number }[];
  readonly reasons: readonly Reason[];
  readonly stopped: { readonly code: string } | null;
}

/** The summary of a command that was refused. */
const empty = { batch: '', id: '', is_new: false, now: { sent: 0 }, before: [], reasons: [], stopped: null };
const none: Summary = { ...counts, ...empty };

export interface Result extends Ran, Summary {}

/** Reasons that never come with exit 0. */
const held = /another text|on its way|unsure elsewhere/;

/** The result of a command, whose numbers must add up. */
export function resultOf(ran: Ran, argv: readonly string[]): Result {
  const data: unknown = ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : undefined;
  if (!isSummary(data)) return { ...none, ...ran };
  const { sent, failed, unsure, waiting, not_sent: notSent } = data;
  expect(sent + failed + unsure + waiting + notSent).toBe(data.rows);
  const because = (outcome: Reason['outcome']) =>
    data.reasons.reduce((sum, reason) => sum + (reason.outcome === outcome ? reason.count : 0), 0);
  const reasons = { failed: because('failed'), unsure: because('unsure'), not_sent: because('not_sent') };
  expect(reasons).toEqual({ failed, unsure, not_sent: notSent });
  expect(data.now.sent + data.before.reduce((sum, other) => sum + other.sent, 0)).toBeLessThanOrEqual(sent);
  const isAll = ran.code === 0 && !argv.includes('--first');
  if (ran.code === 0) expect(data).toMatchObject({ unsure: 0, others: 0, stopped: null, ...(isAll && { waiting: 0 }) });
  if (ran.code === 0) expect(data.reasons.filter(({ reason }) => held.test(reason))).toEqual([]);
  return { ...data, ...ran };
}

function isSummary(value: unknown): value is Summary {
  return isRecord(value) && value['type'] === 'summary';
}
