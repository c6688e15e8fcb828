import { forgetRun } from './forget.ts';
import { listRuns } from './list.ts';
import { showRun } from './show.ts';

export const runsCommands = [listRuns, showRun, forgetRun];
