import { CliError, unsafe, usage } from '../../errors.ts';
import type { FoundRun, FoundRuns } from './find.ts';
import { isFinished } from './find.ts';
import { zonedTime } from '../../terminal/times.ts';
import { inputName } from './input-name.ts';
import type { Story } from './story.ts';
import { waysWithUnsure } from './unsure-ways.ts';

export interface RunFlags {
  readonly resume: boolean;
  /** The key is another one of the same account, and goes on with what the one before it began. */
  readonly newKey: boolean;
  readonly restart: boolean;
  readonly allowRepeat: boolean;
  readonly allowUnsure: boolean;
}

export type Decision =
  /** What was there before, if anything, is set aside. */
  | { readonly action: 'begin'; readonly before?: FoundRun | undefined }
  | { readonly action: 'resume'; readonly run: FoundRun; readonly story: Story }
  /** The same, by another key than it was begun with. */
  | { readonly action: 'adopt'; readonly run: FoundRun; readonly story: Story }
  /** Goes on when every row that was sent is unchanged. */
  | { readonly action: 'check'; readonly run: FoundRun; readonly story: Story }
  /** Nothing is sent. */
  | { readonly action: 'tell'; readonly run: FoundRun; readonly story: Story }
  | { readonly action: 'refuse'; readonly error: CliError };

export function decide({ same, changed, others = [] }: FoundRuns, flags: RunFlags): Decision {
  if (flags.resume && flags.restart) return refuse(usage('--resume and --restart exclude each other', 'give one'));
  if (flags.newKey && !flags.resume) return refuse(usage('--new-key is given without --resume', 'add --resume'));
  const run = same ?? changed;
  const [other] = others;
  if (other) return adopted(other, [...(run ? [run] : []), ...others]);
  if (!run) return { action: 'begin' };
  const { story } = run;
  if (story instanceof CliError) return flags.restart ? { action: 'begin', before: run } : refuse(story);
  if (same && isFinished(story)) return finished(run, story, flags);
  // What stdin brings may be something else altogether: the other one is not given up for it.
  if (flags.restart) return { action: 'begin', before: same || story.facts.place !== null ? run : undefined };
  if (!flags.resume) return refuse(unfinished(run, story, same === undefined));
  return same ? { action: 'resume', run, story } : { action: 'check', run, story };
}

function adopted(run: FoundRun, all: readonly FoundRun[]): Decision {
  const { story } = run;
  if (all.length > 1) return refuse(ambiguous(all));
  return story instanceof CliError ? refuse(story) : { action: 'adopt', run, story };
}

function ambiguous(all: readonly FoundRun[]): CliError {
  const message = `--new-key is for one run, and there are several: ${all.map(({ id }) => id).join(', ')}`;
  const hint = '"bizmsg runs show" tells what each has sent; forget those that are not to go on: "bizmsg runs forget"';
  return unsafe('run-ambiguous', message, hint);
}

function finished(run: FoundRun, story: Story, { resume, allowRepeat, allowUnsure }: RunFlags): Decision {
  if (resume && allowUnsure && story.ledger.counts().unsure > 0) return { action: 'resume', run, story };
  if (resume) return { action: 'tell', run, story };
  if (allowRepeat) return { action: 'begin', before: run };
  const { kind, path } = story.facts;
  const message = `this ${kind} of ${inputName(path)} was finished on ${zonedTime(story.lastAt)}: run ${run.id}`;
  const alone = allowUnsure ? '--allow-unsure is for --resume; ' : '';
  const { unsure } = story.ledger.counts();
  const ways =
    unsure > 0 ? `${alone}${waysWithUnsure(unsure, story.rows)}` : '--allow-repeat sends all of it once more';
  return refuse(unsafe('run-repeated', message, ways));
}

function unfinished({ id }: FoundRun, story: Story, isChanged: boolean): CliError {
  const { kind, path } = story.facts;
  const isStdin = path === '-';
  const before = isChanged ? (isStdin ? ', and it had other rows' : `, before "${path}" was changed`) : '';
  const message = `this ${kind} of ${inputName(path)} is not finished${before}: ${progressOf(story)}; run ${id}`;
  const ways =
    isStdin && isChanged
      ? `--resume goes on if no row that was sent has changed, or if nothing is piped in; --restart begins another run of these rows; "bizmsg runs forget ${id}" gives it up`
      : '--resume goes on where it stopped, --restart begins anew';
  return unsafe('run-unfinished', message, ways);
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
