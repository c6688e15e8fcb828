import { CliError } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import type { Accepted, RejectFile, RejectFiles } from '../ledger/ledger.ts';
import type { InputRow } from './input/row.ts';
import { placeOf } from './input/source.ts';
import { invalidity, type KnownRow, readAgain } from './due.ts';
import { type LoggedRow, rejectedIn } from './history.ts';
import { base64, logParts, type RunLog } from './log.ts';
import { removeDrafts, type RejectKind, writeRejectFile } from './reject-file.ts';
import type { Running } from './action.ts';
import type { Preflight } from './preflight.ts';
import type { Counts, Tally } from './tally.ts';

export interface Ending {
  readonly found: Preflight;
  readonly accepted: Accepted;
  readonly log: RunLog;
  readonly tally: Tally;
  /** The run's folder. */
  readonly folder: string;
  /** The files that this run wrote last. */
  readonly before: RejectFiles | undefined;
}

export interface RejectedRows {
  readonly files: RejectFiles;
  /** The first places of unsure rows. */
  readonly unsurePlaces: readonly number[];
}

const mostPlaces = 1_000;

/** Writes the files of rejected rows. The input is read once more for them: the log knows why, the input what. */
export async function writeRejectedRows(running: Running, ending: Ending): Promise<RejectedRows> {
  const { context, input } = running;
  const { tally, before = {}, folder } = ending;
  const { failed, unsure, skipped, not_reached: left } = tally.counts();
  const mayFail = failed + left > 0;
  const mayBeUnsure = unsure + skipped.unsure > 0;
  const files: Partial<Record<RejectKind, RejectFile | undefined>> = { ...before };
  const unsurePlaces: number[] = [];
  const reasons = createReasonFinder(running, ending);
  removeDrafts(input, context.host.kill);
  for (const [word, isNeeded] of [['failed', mayFail] as const, ['unsure', mayBeUnsure] as const]) {
    try {
      if (!isNeeded && !before[word]) continue;
      const rows = (see: (row: InputRow) => void) =>
        rejectedRows(running, ending, { word, reasons, unsurePlaces, see });
      const { secret } = running.opened.ledger;
      files[word] = await writeRejectFile({ context, input, folder, word, before: before[word], secret, rows });
    } catch (error) {
      const reason = error instanceof CliError ? error.message : fsError(error)?.reason;
      if (reason === undefined) throw error;
      // There may be no such row: only the input knows invalid ones that the run has not reached.
      if (word === 'failed' && failed === 0) continue;
      // The run has no record of invalid rows that it has not reached.
      const isChanged = error instanceof CliError && error.code === 'input-changed';
      const shown = `see bizmsg runs show ${ending.accepted.run}`;
      const next = isChanged ? 'the same command reads it again and writes them' : shown;
      context.note('files', `the ${word} rows could not be written to a file: ${reason}; ${next}`);
    }
  }
  return { files, unsurePlaces };
}

/** The note about an input that was a file of rejected rows, once all of it is sent. It is not removed: it was edited. */
export function doneFileText(result: Counts & { readonly file: string }): string | undefined {
  const { file, sent, failed, unsure, not_reached: left, skipped } = result;
  const { unsure: heldBack, excluded, changed } = skipped;
  const isSent = sent > 0 && failed + unsure + left + heldBack + excluded + changed === 0;
  if (!isSent || !/\.(?:failed|unsure)(?:\.\d+)?\.\w+$/.test(file)) return undefined;
  return `${file} is not needed any more: all its rows are sent`;
}

interface Wanted {
  readonly word: RejectKind;
  readonly reasons: ReasonFinder;
  readonly unsurePlaces: number[];
  /** Called with each row of the input. */
  readonly see: (row: InputRow) => void;
}

async function* rejectedRows(running: Running, { found, accepted, tally, log }: Ending, wanted: Wanted) {
  const { word, reasons, unsurePlaces, see } = wanted;
  const { input } = running;
  for await (const batch of readAgain({ input, found, accepted })) {
    const rejected: { row: InputRow; reason: string }[] = [];
    for (const known of batch) {
      see(known.row);
      const reason = reasons(known, word);
      if (reason === undefined) continue;
      rejected.push({ row: known.row, reason });
      const place = { number: known.row.number, line: placeOf(known.row, input.source) };
      // The run stopped before it.
      if (known.fate === 'invalid' && !tally.hasEnded(place.number)) log.invalid(place, reason);
      if (word === 'unsure' && unsurePlaces.length < mostPlaces) unsurePlaces.push(place.line);
    }
    if (rejected.length > 0) yield rejected;
  }
}

/** For rows that another run left unsure, and for those whose log a power cut has lost. */
const unknownReasons = { failed: 'see bizmsg runs show', unsure: 'an earlier command may have sent it' } as const;

/** Why a row failed or is unsure; undefined if it did not, or is not. */
type ReasonFinder = (known: KnownRow, word: RejectKind) => string | undefined;

function createReasonFinder({ mapper }: Running, { found, log, tally, folder }: Ending): ReasonFinder {
  let before: ReadonlyMap<string, LoggedRow> | undefined;
  const earlierReason = (index: number, word: RejectKind) => {
    // Damage was noted at the start.
    before ??= rejectedIn(logParts(folder, () => {}));
    const logged = before.get(base64(found.digests.read(index)));
    return (logged?.outcome === word ? logged.reason : undefined) ?? unknownReasons[word];
  };
  return ({ row, index, fate }, word) => {
    if (fate === 'excluded') return undefined;
    if (fate === 'invalid') return word === 'failed' ? invalidity(row, mapper, { found }) : undefined;
    const elsewhere = tally.endedElsewhere(row.number);
    if (elsewhere) return elsewhere.word === word ? elsewhere.reason : undefined;
    if (tally.hasEnded(row.number)) {
      const rejection = log.rejectionOf(row.number);
      return rejection?.type === word ? rejection.reason : undefined;
    }
    const isOpen = (fate === 'unsure' && word === 'unsure') || (fate === 'retry' && word === 'failed');
    return isOpen ? earlierReason(index, word) : undefined;
  };
}
