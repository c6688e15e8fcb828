import type { ExitName } from '../../errors.ts';
import type { Reason } from './reasons.ts';
import { createReasons } from './reasons.ts';
import type { Stopped } from './records.ts';
import { states } from './records.ts';
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
  /** Sent and not answered yet, where a process is at it at this instant; they are counted nowhere else. */
  readonly onTheirWay: number;
  readonly seconds: number;
  readonly reasons: readonly Reason[];
  /** The first thousand of them. */
  readonly unsureLines: readonly number[];
  /** The same rows by their numbers. */
  readonly unsureRows: readonly number[];
  readonly stopped?: Stopped | undefined;
}

const mostLines = 1_000;

/** As the journal tells it, so it is what a later `--resume` goes by. */
export function summaryOf(story: Story, path: string, skipped = 0, goesOn = false): Summary {
  const onTheirWay = goesOn ? story.ledger.inFlight().length : 0;
  const { done, failed, unsure: open } = story.ledger.counts();
  const unsure = open - onTheirWay;
  const reasons = createReasons();
  const [unsureLines, unsureRows]: [number[], number[]] = [[], []];
  for (const { outcome, line, number, reason } of failed + unsure > 0 ? verdictsIn(path, story.ledger) : []) {
    if (goesOn && story.ledger.stateOf(number) === states.sent) continue;
    reasons.add(reason);
    if (outcome !== 'unsure' || unsureRows.length >= mostLines) continue;
    unsureRows.push(number);
    if (line > 0) unsureLines.push(line);
  }
  const settled = done + failed + unsure + onTheirWay;
  return {
    rows: Math.max(story.rows, settled),
    done,
    failed,
    unsure,
    skipped,
    unsent: Math.max(0, story.rows - settled),
    onTheirWay,
    seconds: story.seconds,
    reasons: reasons.list(),
    unsureLines,
    unsureRows,
    stopped: story.ending?.stopped,
  };
}

/** With which a command ends. */
export function exitOf({ stopped, failed, unsure }: Summary): ExitName {
  if (stopped) return stopped.exit;
  return failed + unsure > 0 ? 'partial' : 'done';
}
