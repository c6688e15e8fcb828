import { CliError, unsafe, usage } from '../../errors.ts';
import type { FoundRun, FoundRuns } from './find.ts';
import { isFinished } from './find.ts';
import type { Story } from './story.ts';

export interface RunFlags {
  readonly resume: boolean;
  readonly restart: boolean;
  readonly allowRepeat: boolean;
  readonly allowUnsure: boolean;
}

export type Decision =
  /** What was there before, if anything, is set aside. */
  | { readonly action: 'begin'; readonly before?: FoundRun | undefined }
  | { readonly action: 'resume'; readonly run: FoundRun; readonly story: Story }
  /** Goes on when every row that was sent is unchanged. */
  | { readonly action: 'check'; readonly run: FoundRun; readonly story: Story }
  /** Nothing is sent. */
  | { readonly action: 'tell'; readonly run: FoundRun; readonly story: Story }
  | { readonly action: 'refuse'; readonly error: CliError };

export function decide({ same, changed }: FoundRuns, flags: RunFlags): Decision {
  if (flags.resume && flags.restart) return refuse(usage('--resume and --restart exclude each other', 'give one'));
  const run = same ?? changed;
  if (!run) return { action: 'begin' };
  const { story } = run;
  if (story instanceof CliError) return flags.restart ? { action: 'begin', before: run } : refuse(story);
  if (same && isFinished(story)) return finished(run, story, flags);
  if (flags.restart) return { action: 'begin', before: run };
  if (!flags.resume) return refuse(unfinished(run, story, same === undefined));
  return same ? { action: 'resume', run, story } : { action: 'check', run, story };
}

function finished(run: FoundRun, story: Story, { resume, allowRepeat, allowUnsure }: RunFlags): Decision {
  if (resume && allowUnsure && story.ledger.counts().unsure > 0) return { action: 'resume', run, story };
  if (resume) return { action: 'tell', run, story };
  if (allowRepeat) return { action: 'begin', before: run };
  const { kind, path } = story.facts;
  const message = `this ${kind} of "${path}" was finished on ${dayOf(story)}: run ${run.id}`;
  return refuse(unsafe('run-repeated', message, '--allow-repeat sends all of it once more'));
}

function unfinished({ id }: FoundRun, story: Story, isChanged: boolean): CliError {
  const { kind, path } = story.facts;
  const before = isChanged ? `, before "${path}" was changed` : '';
  const message = `this ${kind} of "${path}" is not finished${before}: ${progressOf(story)}; run ${id}`;
  return unsafe('run-unfinished', message, '--resume goes on where it stopped, --restart begins anew');
}

/** How far it came, in words. */
export function progressOf({ ledger, rows }: Story): string {
  const { done, failed, unsure } = ledger.counts();
  const also = [...(failed > 0 ? [`${failed} failed`] : []), ...(unsure > 0 ? [`${unsure} unsure`] : [])];
  return [`${done} of ${rows} rows are done`, ...also].join(', ');
}

function refuse(error: CliError): Decision {
  return { action: 'refuse', error };
}

function dayOf({ lastAt }: Story): string {
  return new Date(lastAt).toISOString().slice(0, 16).replace('T', ' ');
}
