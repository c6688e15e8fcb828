import type { Ui } from '../cli/command.ts';
import type { Rehearsed } from './dry-run.ts';
import { overviewText } from './overview.ts';
import { type Ended, resultText, whereToFind } from './summary.ts';
import { type Tested, testText } from './test-message.ts';

type Shown = Ended | Rehearsed | Tested;

/** Shows the end of a batch command, what it would do, or its test. */
export const batchView = {
  data: (shown: Shown) => ('result' in shown ? shown.result : 'test' in shown ? shown.test : shown.dryRun),
  view: (shown: Shown, ui: Ui) => {
    if ('result' in shown) return resultText(shown, ui);
    return 'test' in shown
      ? testText(shown, ui)
      : ui.outside(overviewText(shown.overview, ui.terminal ? ui.width : Infinity));
  },
  exit: (shown: Shown) => ('result' in shown ? shown.exit : 'done'),
  changes: (shown: Shown) => !('overview' in shown),
  unprinted: (shown: Shown) => ('result' in shown ? whereToFind(shown) : undefined),
} as const;
