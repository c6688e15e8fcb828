import type { Ui } from '../../cli/command.ts';
import { rehearsalText } from './rehearsal.ts';
import type { Rehearsed } from './rehearsal.ts';
import { resultText } from './result.ts';
import type { Ended } from './result.ts';

/** How a run, or what a run would be, is shown and ends. */
export const runView = {
  data: (ran: Rehearsed | Ended) => ('result' in ran ? ran.result : ran.rehearsal),
  view: (ran: Rehearsed | Ended, ui: Ui) => ('result' in ran ? resultText(ran, ui) : rehearsalText(ran.rehearsal, ui)),
  exit: (ran: Rehearsed | Ended) => ran.exit,
  changes: (ran: Rehearsed | Ended) => 'result' in ran && ran.sent,
  unprinted: (ran: Rehearsed | Ended) => ('result' in ran ? ran.standing : undefined),
} as const;
