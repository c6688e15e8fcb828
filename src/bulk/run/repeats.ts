import type { CliError } from '../../errors.ts';
import { unsafe } from '../../errors.ts';
import type { Bodies, Sent } from './bodies.ts';
import { bodiesOf } from './bodies.ts';
import type { Decision } from './decide.ts';
import { earlierRuns } from './earlier.ts';
import type { Earlier } from './earlier.ts';
import { isFinished } from './find.ts';
import { busy, holderOfRun } from './hold.ts';
import type { Identity } from './identity.ts';
import { runId } from './identity.ts';
import { isSettled } from './intake.ts';
import type { OpenRunOptions } from './open.ts';
import { repeatedText, waysOf } from './repeats-text.ts';
import { refuseSentSince } from './sent-since.ts';
import type { Story } from './story.ts';

export type RepeatsOptions = Pick<
  OpenRunOptions,
  'stateFolder' | 'identity' | 'flags' | 'read' | 'kill' | 'failedFile' | 'writerOf'
>;

/** What begins or goes on. */
type Going = Exclude<Decision, { readonly action: 'refuse' | 'tell' }>;

interface Compared {
  readonly run: Earlier;
  readonly sent: Sent;
}

/**
 * Throws where a batch would send what an earlier run of the same input has sent, by whatever mapping or key: nobody
 * gets a message twice unless that is said. An import is told of it and goes on, as the service knows its contacts.
 */
export async function refuseRepeats(options: RepeatsOptions, going: Going): Promise<readonly string[]> {
  const { identity, flags } = options;
  const isImport = identity.kind === 'import';
  if (flags.allowRepeat || (isImport && going.action !== 'begin')) return [];
  let bodies: Bodies | undefined;
  let [most, other]: [Compared | undefined, Earlier | undefined] = [undefined, undefined];
  for (const run of earlierRuns(options.stateFolder, identity, idsOf(options, going))) {
    if (!isImport) refuseRunning(run, options);
    if (!isToBeCompared(run.story, options, going)) continue;
    if (isImport || isOfOtherSandbox(run.story, identity)) {
      other ??= run;
      if (isImport) break;
      continue;
    }
    bodies ??= await bodiesLeft(options, going);
    const sent = bodies.take(run.story.ledger);
    if (countOf(sent) > (most ? countOf(most.sent) : 0)) most = { run, sent };
  }
  if (bodies && most) throw refusal(bodies, most, options);
  const since = await refuseSentSince({
    ...options,
    begins: going.action === 'begin',
    bodies: () => bodiesLeft(options, going),
    isOther: (story) => isOfOtherSandbox(story, identity),
  });
  return [...(other ? told(bodies ?? (await bodiesLeft(options, going)), other, identity) : []), ...since];
}

function told(bodies: Bodies, run: Earlier, identity: Identity): readonly string[] {
  const sent = bodies.take(run.story.ledger);
  return countOf(sent) === 0 ? [] : [repeatedText({ bodies, run, sent, identity })];
}

function refusal(bodies: Bodies, { run, sent }: Compared, { identity, failedFile }: RepeatsOptions): CliError {
  const ways = waysOf({ bodies, run, identity, file: run.isSetAside ? undefined : failedFile(run.folder) });
  return unsafe('rows-repeated', repeatedText({ bodies, run, sent, identity }), ways);
}

/** Its journal is not all there is to tell. What goes through stdin at the same time are hardly the same rows. */
function refuseRunning({ id, folder, story }: Earlier, { kill, identity }: RepeatsOptions): void {
  if (id === runId(identity)) return;
  if (story.facts.place === null && story.content !== identity.content) return;
  const by = holderOfRun(folder, kill);
  if (by !== undefined) throw busy(folder, by);
}

/** The run itself, and the one that it takes the place of; where it has none, a crash may have left what was before. */
function idsOf({ identity }: RepeatsOptions, going: Going): ReadonlySet<string> {
  const other = going.action === 'begin' ? going.before : going.run;
  return new Set(other ? [runId(identity), other.id] : []);
}

function isToBeCompared(story: Story, { flags }: RepeatsOptions, going: Going): boolean {
  const { done, unsure } = story.ledger.counts();
  if (done + unsure === 0 || (flags.restart && !isFinished(story))) return false;
  // With this content, what was before its own last part was said then, if it was to be said.
  return going.action === 'begin' || going.action === 'check' || story.lastAt >= going.story.lastAt;
}

/** Each has keys of its own, and forgets what was sent when it ends. */
function isOfOtherSandbox(story: Story, { address, keyDigest }: Identity): boolean {
  return address === 'local' && story.facts.keyDigest !== keyDigest && isFinished(story);
}

function bodiesLeft({ read, flags }: RepeatsOptions, going: Going): Promise<Bodies> {
  if (going.action === 'begin') return bodiesOf(read(), () => true);
  const { ledger } = going.story;
  return bodiesOf(read(), (row) => !isSettled(row, ledger, flags.allowUnsure));
}

function countOf({ done, unsure }: Sent): number {
  return done + unsure;
}
