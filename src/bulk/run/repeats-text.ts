import { whole } from '../../terminal/run-progress.ts';
import { localDate } from '../../terminal/times.ts';
import type { Bodies, Sent } from './bodies.ts';
import type { Earlier } from './earlier.ts';
import { isFinished } from './find.ts';
import type { Identity } from './identity.ts';

interface Repeated {
  readonly bodies: Bodies;
  /** The one that has sent the most of them. */
  readonly run: Earlier;
  /** What that one has sent. */
  readonly sent: Sent;
  readonly identity: Identity;
}

/** Which rows were sent before, and by which run. */
export function repeatedText({ bodies, run, sent, identity }: Repeated): string {
  const { id, story } = run;
  const all = bodies.sent();
  const isOfSeveral = all.done + all.unsure > sent.done + sent.unsure;
  const many = identity.kind === 'import' ? rowsText(all) : messagesText(all, bodies.count);
  const by = `${isOfSeveral ? ', most of them by' : ' by'} run ${id} on ${localDate(story.lastAt)}`;
  const isOfOtherKey = story.facts.keyDigest !== identity.keyDigest;
  const key = isOfOtherKey ? `, with another key (${story.facts.key}), perhaps of another account` : '';
  return `${many}${by}${key}${run.isSetAside ? ', before it was begun anew' : ''}`;
}

function rowsText({ done, unsure }: Sent): string {
  const count = done + unsure;
  return `${whole(count)} of these rows ${count === 1 ? 'was' : 'were'} sent before`;
}

function messagesText({ done, unsure }: Sent, count: number): string {
  const these = count === 1 ? 'this message' : `of these ${whole(count)} messages`;
  const many = (some: number) => (count === 1 ? these : `${whole(some)} ${these}`);
  if (done === 0) return `${many(unsure)} may have been sent`;
  const were = `${many(done)} ${done === 1 ? 'was' : 'were'} sent`;
  return unsure === 0 ? were : `${were} and ${whole(unsure)} more may have been`;
}

interface Ways extends Omit<Repeated, 'sent'> {
  /** Of the rows that failed in that run. */
  readonly file: string | undefined;
}

/** What can be done in place of sending all of it. */
export function waysOf(ways: Ways): string {
  return [...restText(ways), ...goesOn(ways), '--allow-repeat sends all of them once more'].join('; ');
}

/** Where those rows are that were not sent. */
function restText({ bodies, run: { story }, file }: Ways): readonly string[] {
  const { done, unsure } = bodies.sent();
  const left = bodies.count - done - unsure;
  const apart = 'send those that are new in a file of their own';
  if (left === 0) return [];
  if (file === undefined) return isFinished(story) ? [apart] : [];
  const areTheFailed = left <= story.ledger.counts().failed && bodies.rows <= story.rows;
  return [areTheFailed ? `${file} holds those that were not` : `${file} holds those that failed; ${apart}`];
}

function goesOn({
  run: { id, story, isSetAside },
  identity: { content, mapping, keyDigest },
}: Ways): readonly string[] {
  const { facts } = story;
  if (isSetAside || isFinished(story)) return [];
  if (facts.keyDigest !== keyDigest && facts.mapping === mapping && story.content === content)
    return ['--resume --new-key goes on with it, if this key is of the same account'];
  return [`--resume with what run ${id} was begun with goes on with it ("bizmsg runs show ${id}" tells)`];
}
