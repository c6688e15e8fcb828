import type { Ui } from '../../cli/command.ts';
import { rehearsalText } from './rehearsal.ts';
import type { Rehearsal } from './rehearsal.ts';
import { resultText } from './result.ts';
import type { Ended } from './result.ts';

/** How a run, or what a run would be, is shown and ends. */
export const runView = {
  data: (ran: Rehearsal | Ended) => ('result' in ran ? ran.result : ran),
  view: (ran: Rehearsal | Ended, ui: Ui) => ('result' in ran ? resultText(ran.result, ui) : rehearsalText(ran, ui)),
  exit: (ran: Rehearsal | Ended) => ('exit' in ran ? ran.exit : ran.bad > 0 ? 'partial' : 'done'),
} as const;
