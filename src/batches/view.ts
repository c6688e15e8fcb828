import type { Ui } from '../cli/command.ts';
import type { Rehearsed } from './dry-run.ts';
import { overviewText } from './overview.ts';
import { type Ended, resultText, whereToFind } from './summary.ts';

/** Shows the end of a batch command, or what it would do. */
export const batchView = {
  data: (ended: Ended | Rehearsed) => ('result' in ended ? ended.result : ended.dryRun),
  view: (ended: Ended | Rehearsed, ui: Ui) =>
    'result' in ended ? resultText(ended, ui) : overviewText(ended.overview),
  exit: (ended: Ended | Rehearsed) => ('result' in ended ? ended.exit : 'done'),
  changes: (ended: Ended | Rehearsed) => 'result' in ended,
  unprinted: (ended: Ended | Rehearsed) => ('result' in ended ? whereToFind(ended) : undefined),
} as const;
