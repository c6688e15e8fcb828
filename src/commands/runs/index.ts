import { closeRun } from './close.ts';
import { forgetRuns } from './forget.ts';
import { listRuns } from './list.ts';
import { resolveRun } from './resolve.ts';
import { showRun } from './show.ts';

export const runsCommands = [listRuns, showRun, resolveRun, closeRun, forgetRuns];
