import type { Later } from '../../journal.ts';
import { openJournal } from '../../journal.ts';
import type { Owner } from '../../lock.ts';
import type { Prepared } from '../row.ts';
import { bringBack } from './asides.ts';
import { begun } from './begin.ts';
import { removeLeftFolders } from './bring.ts';
import { refuseBusy } from './busy.ts';
import { refuseChanged } from './check.ts';
import { claimLook } from './claim.ts';
import { removeLeftDrafts } from './copies.ts';
import type { Decision, RunFlags } from './decide.ts';
import { decide } from './decide.ts';
import { refuseElsewhere } from './elsewhere.ts';
import { findRuns } from './find.ts';
import type { Holds } from './hold.ts';
import { createHolds, holderOfRun } from './hold.ts';
import type { Identity } from './identity.ts';
import { placeOf, runFolder, runId } from './identity.ts';
import { createLedger } from './ledger.ts';
import type { Opened, OpenRun } from './open-run.ts';
import { openPart } from './open-run.ts';
import type { RunFacts } from './records.ts';
import { form } from './records.ts';
import { refuseRepeats } from './repeats.ts';
import type { Writer } from './sent-since.ts';
import { journalPath, tell } from './story.ts';
import type { Summary } from './summary.ts';
import { summaryOf } from './summary.ts';
import { moveTo } from './take-over.ts';

export interface OpenRunOptions extends Owner {
  readonly stateFolder: string;
  readonly identity: Identity;
  /** How the run is shown: the path as given (`-` for stdin), the flags as words, the key as it may be shown. */
  readonly shown: Pick<RunFacts, 'path' | 'flags' | 'key'>;
  /** How many rows the input holds. */
  readonly rows: number;
  readonly flags: RunFlags;
  /** Reads the input, to be compared with what was sent. */
  readonly read: () => AsyncIterable<readonly Prepared[]>;
  /** Where the rows are that failed in another run, by its folder, if they are anywhere. */
  readonly failedFile: (folder: string) => string | undefined;
  /** The run that wrote an input as a file of its rows, if one did. */
  readonly writerOf: (identity: Identity) => Writer | undefined;
  readonly now: () => number;
  readonly later: Later;
}

/** A finished one that was to be resumed: nothing is sent. */
export interface ToldRun {
  readonly action: 'tell';
  readonly id: string;
  readonly folder: string;
  readonly summary: Summary;
  /** It is this process's own until then. */
  close(): Promise<void>;
}

/** Finds what was run before, decides what is to be done, and does it; or throws what stands against it. */
export async function openRun(options: OpenRunOptions): Promise<OpenRun | ToldRun> {
  const { stateFolder, identity, kill } = options;
  const folder = runFolder(stateFolder, runId(identity));
  const holds = createHolds(options);
  let letLook = () => {};
  try {
    holds.hold(folder);
    letLook = await claimLook(options);
    bringBack(stateFolder, options, folder);
    removeLeftDrafts(stateFolder, kill);
    removeLeftFolders(stateFolder, options);
    const opened = await carriedOut(decided(options, holds), options, folder);
    const run =
      opened.action === 'tell' ? { ...opened, close: async () => holds.release() } : openPart(opened, options, holds);
    letLook();
    return run;
  } catch (error) {
    holds.release();
    throw error;
  } finally {
    letLook();
  }
}

/** What the decision is about is held before it is made for good. */
function decided({ stateFolder, identity, flags, kill }: OpenRunOptions, holds: Holds): Decision {
  for (;;) {
    const isHeld = (folder: string) => !holds.folders.has(folder) && holderOfRun(folder, kill) !== undefined;
    const found = findRuns(stateFolder, identity, { ...flags, isHeld });
    refuseBusy(found, kill, holds.folders);
    const decision = decide(found, flags);
    const other = decision.action === 'begin' ? decision.before : 'run' in decision ? decision.run : undefined;
    if (!other || holds.folders.has(other.folder)) return decision;
    holds.hold(other.folder);
  }
}

async function carriedOut(
  decision: Decision,
  options: OpenRunOptions,
  folder: string,
): Promise<Opened | Omit<ToldRun, 'close'>> {
  if (decision.action === 'refuse') throw decision.error;
  if (decision.action === 'begin') {
    const others = refuseElsewhere(options.stateFolder, options.identity, options.flags);
    const notes = [...others, ...(await refuseRepeats(options, decision))];
    return begun({ ...options, notes }, folder, decision.before);
  }
  const { action, run, story } = decision;
  if (action === 'tell') return { action, id: run.id, folder, summary: summaryOf(story, journalPath(folder)) };
  const outdated = action === 'check' ? await refuseChanged(options.read(), story.ledger, options.shown.path) : [];
  await refuseRepeats(options, decision);
  if (action !== 'resume') moveTo(run, folder);
  return { ...resumed(options, folder), outdated };
}

function resumed(options: OpenRunOptions, folder: string): Opened {
  const journal = openJournal(journalPath(folder), { ...form, later: options.later });
  const story = tell(journal.past);
  const adopted = story && story.facts.keyDigest !== options.identity.keyDigest ? story.facts : undefined;
  if (adopted) journal.append(['run', adoptedBy(options, adopted)]);
  const ledger = story?.ledger ?? createLedger();
  const cut = ledger.inFlight().length;
  const what = cut === 1 ? '1 row was being sent, so it is' : `${cut} rows were being sent, so they are`;
  const notes = [
    ...(adopted ? [`the run was begun with another key (${adopted.key}), and goes on with this one`] : []),
    ...(cut > 0 ? [`the run ended without a word while ${what} unsure`] : []),
  ];
  return { action: 'resume', folder, notes, journal, ledger };
}

/** When it began, and how that was typed, stays. */
function adoptedBy({ identity, shown: { path, key } }: OpenRunOptions, facts: RunFacts): RunFacts {
  return { ...facts, path, key, keyDigest: identity.keyDigest, place: placeOf(identity) };
}
