import type { Ui } from '../cli/command.ts';
import { dryRunText } from './dry-run.ts';
import type { DryRunEnded } from './dry-run.ts';
import { resultText } from './result.ts';
import type { Ended } from './result.ts';

/** Shows a run or a dry run. */
export const runView = {
  data: (ran: Ended | DryRunEnded) => ('result' in ran ? ran.result : ran.dryRun),
  view: (ran: Ended | DryRunEnded, ui: Ui) => ('result' in ran ? resultText(ran, ui) : dryRunText(ran.dryRun, ui)),
  exit: (ran: Ended | DryRunEnded) => ran.exit,
  changes: (ran: Ended | DryRunEnded) => 'result' in ran && ran.result.run !== null,
  unprinted: (ran: Ended | DryRunEnded) =>
    'result' in ran && ran.result.run !== null ? `bizmsg runs show ${ran.result.run} shows what was done` : undefined,
} as const;
