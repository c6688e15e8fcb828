import { CliError, fsError } from '../base/errors.ts';
import type { Accepted, RejectFile, RejectFiles, ReportedRow } from '../ledger/ledger.ts';
import type { Running } from './action.ts';
import { invalidity, invalidRow, type KnownRow, placeIn, readAgain } from './due.ts';
import type { InputRow } from './input/row.ts';
import { folderOf } from './listing.ts';
import { isLeftOut, type Preflight } from './preflight.ts';
import { removeDrafts, type RejectKind, renameDone, writeRejectFile } from './reject-file.ts';
import type { RunResult } from './result.ts';
import type { Tally } from './tally.ts';

export interface Ending {
  readonly found: Preflight;
  readonly accepted: Accepted;
  readonly tally: Tally;
}

export interface RejectedRows {
  readonly files: RejectFiles;
  /** The first places of unsure rows. */
  readonly unsurePlaces: readonly number[];
}

const mostPlaces = 1_000;

/** Writes the files of rejected rows. The input is read once more for them: the ledger knows why, the input what. */
export async function writeRejectedRows(running: Running, ending: Ending): Promise<RejectedRows> {
  const { context, input, opened } = running;
  const { tally, accepted } = ending;
  const { failed, unsure, skipped, not_reached: left } = tally.counts();
  const mayBe = { failed: failed + left > 0, unsure: unsure + skipped.unsure > 0 };
  const files: Partial<Record<RejectKind, RejectFile | undefined>> = { ...accepted.files };
  const unsurePlaces: number[] = [];
  const folder = folderOf(context.stateFolder(), accepted.run);
  removeDrafts(input, context.host.kill);
  for (const word of ['failed', 'unsure'] as const) {
    const before = accepted.files[word];
    try {
      if (!mayBe[word] && !before) continue;
      const met = new Set<number>();
      const rows = () => rejectedRows(running, ending, { word, met, unsurePlaces });
      const hasAll = async () =>
        (await opened.ledger.runs()).every(({ id, counts }) => id !== accepted.run || counts[word] <= met.size);
      files[word] = await writeRejectFile({ context, input, folder, word, before, rows, hasAll });
    } catch (error) {
      const reason = error instanceof CliError ? error.message : fsError(error)?.reason;
      if (reason === undefined) throw error;
      // There may be no such row: only the input knows invalid ones that the run has not reached.
      if (word === 'failed' && failed === 0) continue;
      // The run has no record of invalid rows that it has not reached.
      const isChanged = error instanceof CliError && error.code === 'input-changed';
      const shown = `see bizmsg runs show ${accepted.run}`;
      const next = isChanged ? 'the same command reads it again and writes them' : shown;
      context.note('files', `the ${word} rows could not be written to a file: ${reason}; ${next}`);
    }
  }
  return { files, unsurePlaces };
}

interface Wanted {
  readonly word: RejectKind;
  /** The numbers in the run of such rows. */
  readonly met: Set<number>;
  readonly unsurePlaces: number[];
}

async function* rejectedRows(running: Running, ending: Ending, { word, met, unsurePlaces }: Wanted) {
  const { input, mapper, opened } = running;
  const { found, accepted, tally } = ending;
  const isCutShort = tally.counts().not_reached > 0;
  for await (const batch of readAgain({ input, found, accepted })) {
    const reports = await reportsOf(batch);
    const rejected: { row: InputRow; reason: string }[] = [];
    for (const known of batch) {
      const reason = reasonOf(known, reports);
      if (reason === undefined) continue;
      rejected.push({ row: known.row, reason });
      if (word === 'unsure' && unsurePlaces.length < mostPlaces) unsurePlaces.push(placeIn(known.row, running).line);
    }
    // The run stopped before some of them.
    const invalid = isCutShort ? batch.filter(({ fate }) => fate === 'invalid') : [];
    const rows = invalid.map(({ row }) => invalidRow(placeIn(row, running), invalidity(row, mapper)));
    // A full disk must not keep them out of the file.
    if (word === 'failed' && rows.length > 0) await opened.ledger.addUnsent(accepted.run, rows).catch(ignoreForeseen);
    if (rejected.length > 0) yield rejected;
  }

  async function reportsOf(batch: readonly KnownRow[]): Promise<ReadonlyMap<number, ReportedRow>> {
    const items = batch
      .flatMap(({ index, fate }) => (isInRun(fate) ? (accepted.items[index] ?? 0) : 0))
      .filter(Boolean);
    const rows = items.length > 0 ? await opened.ledger.rowsAt(accepted.run, items) : [];
    return new Map(rows.map((row) => [row.item, row]));
  }

  /** Why a row failed or is unsure; undefined if it did not, or is not. */
  function reasonOf({ row, index, fate }: KnownRow, reports: ReadonlyMap<number, ReportedRow>): string | undefined {
    if (fate === 'invalid') return word === 'failed' ? invalidity(row, mapper) : undefined;
    if (!isInRun(fate)) return undefined;
    const report = reports.get(accepted.items[index] ?? 0);
    const other = tally.unrecorded(row.number);
    if (report?.state !== word && other) return other.word === word ? other.reason : undefined;
    if (report?.state === word) {
      met.add(report.item);
      return report.reason ?? unknownReason;
    }
    return word === 'unsure' && fate === 'unsure' && !report ? unknownReason : undefined;
  }
}

function ignoreForeseen(error: unknown): void {
  if (!(error instanceof CliError)) throw error;
}

/** Another run may have left it unsure. */
const unknownReason = 'an earlier command may have sent it';

function isInRun(fate: KnownRow['fate']): boolean {
  return fate !== 'invalid' && !isLeftOut(fate) && fate !== 'duplicate' && fate !== 'conflict';
}

/** Ends with an input that was a file of rejected rows, once all of it is sent; returns a note about it. */
export async function finishRejectFile(
  { input, opened }: Running,
  result: Pick<RunResult, 'file' | 'sent' | 'failed' | 'unsure' | 'not_reached' | 'skipped'>,
): Promise<string | undefined> {
  const { file, sent, failed, unsure, not_reached: left, skipped } = result;
  const { unsure: heldBack, excluded, where, changed, busy, another_message: others } = skipped;
  const isSent = sent > 0 && failed + unsure + left + heldBack + excluded + where + changed + busy + others === 0;
  if (!isSent || !/\.(?:failed|unsure)(?:\.\d+)?\.\w+$/.test(file)) return undefined;
  const written = (await opened.ledger.runs()).flatMap(({ files }) => [files.failed, files.unsure]);
  const own = written.find((one) => one !== undefined && one.file === input.path);
  const done = own && renameDone(own);
  if (done === undefined) return `${file} is not needed any more: all its rows are sent`;
  return `all rows of ${file} are sent; it is now ${done}`;
}
