import type { ExitName } from '../../errors.ts';
import type { Reason } from './reasons.ts';
import { createReasons } from './reasons.ts';
import type { Stopped } from './records.ts';
import type { Story } from './story.ts';
import { verdictsIn } from './verdicts.ts';

/** The numbers of the whole run, all its parts together. */
export interface Summary {
  /** Of the input. */
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
  /** Settled by an earlier part of this run, and counted above too. */
  readonly skipped: number;
  readonly unsent: number;
  readonly seconds: number;
  readonly reasons: readonly Reason[];
  /** The first thousand of them. */
  readonly unsureLines: readonly number[];
  readonly stopped?: Stopped | undefined;
}

const mostLines = 1_000;

/** As the journal tells it, so it is what a later `--resume` goes by. */
export function summaryOf(story: Story, path: string, skipped = 0): Summary {
  const { done, failed, unsure } = story.ledger.counts();
  const reasons = createReasons();
  const unsureLines: number[] = [];
  for (const { outcome, line, reason } of failed + unsure > 0 ? verdictsIn(path, story.ledger) : []) {
    reasons.add(reason);
    if (outcome === 'unsure' && line > 0 && unsureLines.length < mostLines) unsureLines.push(line);
  }
  const settled = done + failed + unsure;
  return {
    rows: Math.max(story.rows, settled),
    done,
    failed,
    unsure,
    skipped,
    unsent: Math.max(0, story.rows - settled),
    seconds: story.seconds,
    reasons: reasons.list(),
    unsureLines,
    stopped: story.ending?.stopped,
  };
}

/** With which a command ends. */
export function exitOf({ stopped, failed, unsure }: Summary): ExitName {
  if (stopped) return stopped.exit;
  return failed + unsure > 0 ? 'partial' : 'done';
}
