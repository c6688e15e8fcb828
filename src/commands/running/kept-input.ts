import { existsSync } from 'node:fs';
import { copyPath } from '../../bulk/run/copies.ts';
import { progressOf } from '../../bulk/run/decide.ts';
import { findOfStdin } from '../../bulk/run/find.ts';
import type { FoundRun } from '../../bulk/run/find.ts';
import { holderOfRun } from '../../bulk/run/hold.ts';
import type { Context } from '../../cli/command.ts';
import type { RunClient } from '../../cli/run-client.ts';
import { CliError, unsafe } from '../../errors.ts';
import { circumstancesOf } from './circumstances.ts';
import type { Job } from './job.ts';
import type { RunInput } from './run-params.ts';

interface Asked {
  readonly job: Job;
  readonly client: Pick<RunClient, 'target'>;
  readonly flags: Pick<RunInput, 'resume' | 'newKey'>;
}

/** Finds what was piped into the unfinished run that goes on; throws where that is not there any more. */
export async function keptInput(context: Context, { job, client, flags }: Asked): Promise<() => string | undefined> {
  const { stateFolder, process: own } = await context.sandboxes();
  const isHeld = (folder: string) => holderOfRun(folder, own.kill) !== undefined;
  return () => {
    if (!flags.resume) return undefined;
    const run = findOfStdin(stateFolder, circumstancesOf(job, client), { ...flags, isHeld });
    if (!run) return undefined;
    const copy = copyPath(run.folder);
    if (!existsSync(copy)) throw gone(run, job);
    return copy;
  };
}

function gone({ id, story }: FoundRun, { kind }: Job): CliError {
  if (story instanceof CliError) return story;
  const message = `stdin is empty, and this ${kind} of stdin is not finished: ${progressOf(story)}; run ${id}`;
  return unsafe('input-missing', message, 'its copy of what was piped in has gone: pipe that in once more');
}
