import { CliError, unsafe } from '../../errors.ts';
import { isOfFile, runsAlike } from './alike.ts';
import type { AlikeRun } from './alike.ts';
import type { Bodies, Sent } from './bodies.ts';
import type { Earlier } from './earlier.ts';
import { runAt } from './find.ts';
import type { Ledger } from './ledger.ts';
import type { RepeatsOptions } from './repeats.ts';
import { states } from './records.ts';
import { repeatedText } from './repeats-text.ts';
import type { Story } from './story.ts';

/** The run that wrote an input as a file of its rows. */
export interface Writer {
  readonly id: string;
  readonly folder: string;
  readonly word: 'failed' | 'unsure';
  /** The byte of its journal up to which it listed them; 0 where that is not known. */
  readonly to: number;
  /** The input that it was of, if that is known. */
  readonly file: string | undefined;
}

interface Asked extends Pick<RepeatsOptions, 'stateFolder' | 'identity' | 'flags' | 'writerOf'> {
  /** One that goes on was told of its unsure rows when it began. */
  readonly begins: boolean;
  readonly bodies: () => Promise<Bodies>;
  /** Runs that do not count. */
  readonly isOther: (story: Story) => boolean;
}

/**
 * Throws where a file of rows that came to nothing is sent, and they were sent since, by the run that wrote it or by a
 * later one of the same input; or where nobody knows whether they were. An import is told of it.
 */
export async function refuseSentSince(asked: Asked): Promise<readonly string[]> {
  const { identity, flags, begins } = asked;
  const writer = asked.writerOf(identity);
  const story = writer && storyOf(writer);
  if (!writer || !story || asked.isOther(story)) return [];
  const bodies = await asked.bodies();
  const most = mostOf(bodies, [
    { run: { ...writer, story, isSetAside: false }, ledger: ownSince(story.ledger, writer) },
    ...laterRuns(asked, writer, story).map((run) => ({ run, ledger: but(run.story.ledger, story.ledger, bodies) })),
  ]);
  const { done, unsure } = bodies.sent();
  if (!most || (done === 0 && (unsure === 0 || flags.allowUnsure || !begins))) return [];
  const text = repeatedText({ bodies, ...most, identity });
  if (identity.kind === 'import') return [text];
  throw refusal(text, bodies.sent());
}

function refusal(text: string, { done, unsure }: Sent): CliError {
  if (done > 0) {
    const hint = 'send those that were not in a file of their own; --allow-repeat sends all of them once more';
    return unsafe('rows-repeated', text, hint);
  }
  const [were, them] = unsure === 1 ? ['it was', 'it'] : ['they were', 'them'];
  const hint = `find out whether ${were} done; --allow-unsure sends ${them} once more`;
  return unsafe('rows-unsure', `${text}: an unsure row is not sent again unless told`, hint);
}

interface Taken {
  readonly run: Earlier;
  readonly ledger: Ledger;
}

function mostOf(bodies: Bodies, all: readonly Taken[]) {
  let most: { readonly run: Earlier; readonly sent: Sent } | undefined;
  for (const { run, ledger } of all) {
    const sent = bodies.take(ledger);
    if (sent.done + sent.unsure > (most ? most.sent.done + most.sent.unsure : 0)) most = { run, sent };
  }
  return most;
}

function laterRuns({ stateFolder, identity, isOther }: Asked, writer: Writer, { lastAt, content }: Story) {
  const isMeant = (one: AlikeRun) =>
    one.content === content || (writer.file !== undefined && isOfFile(one, writer.file));
  return runsAlike(stateFolder, identity)
    .filter((one) => one.folder !== writer.folder && isMeant(one))
    .flatMap(({ id, folder }): readonly Earlier[] => {
      const story = storyOf({ id, folder });
      return story && story.lastAt >= lastAt && !isOther(story) ? [{ id, folder, story, isSetAside: false }] : [];
    });
}

function storyOf({ id, folder }: Pick<Writer, 'id' | 'folder'>): Story | undefined {
  const story = runAt(folder, id)?.story;
  return story instanceof CliError ? undefined : story;
}

/** What was done before the file was written is not in it, though an equal row may be. */
function ownSince(ledger: Ledger, { word, to }: Writer): Ledger {
  return only(ledger, (number) => {
    if (ledger.stateOf(number) !== states.done) return word === 'unsure';
    const place = ledger.placeOf(number);
    return to === 0 || (place > 0 && place < to);
  });
}

/** But for as many equal rows as the writer itself had done in the first place. */
function but(ledger: Ledger, writer: Ledger, { has }: Bodies): Ledger {
  const before = new Map<number, number>();
  for (let number = 1; number <= writer.highest(); number++) {
    const digest = writer.digestOf(number);
    if (writer.stateOf(number) === states.done && writer.placeOf(number) === 0 && has(digest))
      before.set(digest, (before.get(digest) ?? 0) + 1);
  }
  return only(ledger, (number) => {
    const digest = ledger.digestOf(number);
    const left = ledger.stateOf(number) === states.done ? (before.get(digest) ?? 0) : 0;
    if (left > 0) before.set(digest, left - 1);
    return left === 0;
  });
}

function only(ledger: Ledger, isMeant: (number: number) => boolean): Ledger {
  return { ...ledger, stateOf: (number) => (isMeant(number) ? ledger.stateOf(number) : states.unsent) };
}
