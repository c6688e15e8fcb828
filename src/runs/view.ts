import type { Ui } from '../cli/command.ts';
import { type DryRunEnded, dryRunText } from './dry-run.ts';
import { type Ended, restText, resultText, type RunResult } from './result.ts';

/** Shows a run or a dry run. */
export const runView = {
  data: (ran: Ended | DryRunEnded) => ('result' in ran ? ran.result : ran.dryRun),
  view: (ran: Ended | DryRunEnded, ui: Ui) => ('result' in ran ? resultText(ran, ui) : dryRunText(ran.dryRun, ui)),
  exit: (ran: Ended | DryRunEnded) => ran.exit,
  changes: (ran: Ended | DryRunEnded) => 'result' in ran && ran.result.run !== null,
  unprinted: (ran: Ended | DryRunEnded) => ('result' in ran ? shownElsewhere(ran.result) : undefined),
} as const;

function shownElsewhere({ run, not_reached: left }: RunResult): string | undefined {
  if (run === null) return undefined;
  const rest = left === 0 ? '' : `${restText(left)}; `;
  return `${rest}bizmsg runs show ${run} shows what was done`;
}
