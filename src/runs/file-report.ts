import { CliError, usage } from '../base/errors.ts';
import { existsSync } from 'node:fs';
import type { Context } from '../cli/command.ts';
import { rowsText } from '../cli/output/figures.ts';
import { digestSize } from '../ledger/identity.ts';
import type { Elsewhere, Ledger, ReportedRow, RunState } from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import { invalidity } from './due.ts';
import { nameOf, openInput } from './input.ts';
import type { Fields, InputRow, Mapper } from './input/row.ts';
import { placeOf, unitOf } from './input/source.ts';
import { type ListedRun, openPlace, type RunsHome } from './listing.ts';
import { columnNamed, phoneColumns } from './mapping/columns.ts';
import { filtered } from './mapping/where.ts';
import { preflight } from './preflight.ts';
import { type Reading, readingOf } from './reading.ts';
import { rowsOfRun, type ShownRow, shownRow } from './report.ts';

export interface FileRow extends ShownRow {
  readonly fields: Fields;
}

/** The rows of a file, each with what a run did about it. */
interface FileReport {
  /** The columns of the file, that of the phones first; none without a file. */
  readonly columns: readonly string[];
  /** Undefined without a file. */
  readonly delimiter: string | undefined;
  /** May be called several times. */
  read(): AsyncGenerator<readonly FileRow[]>;
  close(): Promise<void> | void;
}

interface Opening {
  readonly context: Context;
  readonly home: RunsHome;
  readonly run: ListedRun;
  /** From `--with`. */
  readonly given: string | undefined;
}

/** Joins a run with its file. Without one, there is a note, and the report has the rows that the ledger knows. */
export async function openReport({ context, home, run, given }: Opening): Promise<FileReport> {
  const ledger = await openPlace(home, run.place);
  try {
    const joined = await joinedReport({ context, ledger, run, given });
    const report = joined ?? { columns: [], delimiter: undefined, read: () => knownRows(ledger, run), close() {} };
    return {
      ...report,
      async close() {
        await report.close();
        await ledger.close();
      },
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function* knownRows(ledger: Ledger, { id }: ListedRun): AsyncGenerator<readonly FileRow[]> {
  yield (await rowsOfRun(ledger, id)).map((row) => ({ ...row, fields: {} }));
}

async function joinedReport({
  context,
  ledger,
  run,
  given,
}: Omit<Opening, 'home'> & { readonly ledger: Ledger }): Promise<FileReport | undefined> {
  const file = given ?? run.file;
  const way = '--with FILE adds the columns of its file';
  if (file === undefined) context.note('no-file', `run ${run.id} read stdin; ${way}`);
  else if (given === undefined && !existsSync(file)) context.note('no-file', `${file} is not there any more; ${way}`);
  else
    try {
      return await openFileReport({ context, ledger, run, file, reading: await readingOf(context, run) });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const message = `"${file}" does not fit run ${run.id}: ${error.message}`;
      const { exit, code } = error;
      const hint = '--with FILE names the file of the run';
      if (given !== undefined) throw new CliError(exit, code, message, { hint, cause: error });
      context.note('no-file', `${message}; ${hint}`);
    }
  return undefined;
}

interface Joining {
  readonly context: Context;
  readonly ledger: Ledger;
  readonly run: RunState;
  readonly file: string;
  readonly reading: Reading;
}

/** Columns of JSON records that are shown. */
const mostNames = 200;

/** Joins the rows of a file with those of a run, by the digests of people, not by lines. */
async function openFileReport({ context, ledger, run, file, reading }: Joining): Promise<FileReport> {
  const { signal } = context.host;
  const { source, ...input } = await openInput(context, file, { ...reading.options, stop: signal });
  const names = new Set(source.fields);
  const { map, isFilteredOut } = filtered(await reading.action.mapper(source), reading.options.where, source);
  const mapper: Pick<Mapper, 'map' | 'isFilteredOut'> = {
    map(row) {
      if (!source.fields && names.size < mostNames) for (const name of Object.keys(row.fields)) names.add(name);
      return map(row);
    },
    ...(isFilteredOut && { isFilteredOut }),
  };
  const found = await preflight({
    source,
    mapper,
    signal,
    digest(row) {
      const digest = reading.action.digest(row, ledger.secret);
      return reading.knowsBodies ? digest : digest.fill(0, 0, digestSize);
    },
  });
  const { digests } = found;
  const items = new Uint32Array(digests.count);
  let [matched, moved] = [0, 0];
  const missing = await ledger.match(run.id, { input: digests, byPhone: !reading.knowsBodies }, (row, n, line) => {
    items[row] = n;
    matched += 1;
    if (line !== undefined && line !== found.placeOf(row)) moved += 1;
  });
  if (matched === 0 && missing > 0) throw usage(`no row of "${file}" is in run ${run.id}`, 'is it another file?');
  // A job may have had other files.
  const isChanged = moved > 0 || found.rows !== run.rows || (missing > 0 && run.job === undefined);
  if (isChanged) context.note('file-changed', changedText(nameOf(input), missing));
  const phone = columnNamed(reading.phone ?? '', [...names]) ?? phoneColumns([...names])[0];
  const columns = [...new Set([...(phone === undefined ? [] : [phone]), ...names])];
  return { columns, delimiter: source.delimiter ?? ',', read, close: input.close };

  async function* read(): AsyncGenerator<readonly FileRow[]> {
    let next = 0;
    for await (const batch of source.rows(signal)) {
      const known = batch.map((row) => {
        const kind = found.kindOf(row.number);
        return { row, kind, line: placeOf(row, source), index: kind === 'valid' ? next++ : -1 };
      });
      const reports = await reportsOf(known.flatMap(({ index }) => items[index] || []));
      const open = known.filter(({ index }) => index >= 0 && digests.isFirst(index) && !isOwn(reports, index));
      const latest = await ledger.elsewhere(
        run.id,
        open.map(({ index }) => digests.read(index)),
      );
      const others = new Map(open.map(({ index }, at) => [index, latest[at]]));
      const unsent = await unsentAmong(known[0]?.line ?? 0, known.at(-1)?.line ?? 0);
      yield known.map((one) => {
        const fields = 'fields' in one.row ? one.row.fields : {};
        return { fields, ...outcomeOf(one, { reports, others, unsent: unsent.get(one.line) }) };
      });
    }
  }

  async function reportsOf(numbers: readonly number[]): Promise<Reports> {
    const rows = numbers.length > 0 ? await ledger.rowsAt(run.id, numbers) : [];
    return new Map(rows.map((row) => [row.item, row]));
  }

  function isOwn(reports: Reports, index: number): boolean {
    return isKept(reports.get(items[index] ?? 0));
  }

  /** Lines of another version of the file say nothing about this one. */
  async function unsentAmong(first: number, last: number): Promise<ReadonlyMap<number | undefined, ReportedRow>> {
    const rows = isChanged ? [] : await ledger.unsent(run.id, first, last);
    return new Map(rows.map((row) => [row.line, row]));
  }

  function outcomeOf({ row, kind, line, index }: Known, { reports, others, unsent }: Found): ShownRow {
    const none = { line, at: undefined, id: undefined, run: undefined };
    if (kind === 'where') return { ...none, outcome: 'excluded', reason: 'left out by --where' };
    if (kind !== 'valid') return { ...none, outcome: 'invalid', reason: invalidity(row, { map }) };
    if (!digests.isFirst(index)) {
      const first = `${unitOf(source)} ${found.firstOf(index)}`;
      if (!digests.isConflict(index)) return { ...none, outcome: 'duplicate', reason: `the same as ${first}` };
      return { ...none, outcome: 'skipped', reason: `another message for the recipient of ${first}` };
    }
    const report = reports.get(items[index] ?? 0);
    if (isKept(report)) return { ...shownRow(report, run.id), line };
    const other = others.get(index);
    if (unsent?.code !== 'excluded' && other) return skippedFor(other, line);
    if (unsent) return { ...shownRow(unsent, run.id), line };
    return { ...none, outcome: 'not_reached', reason: report ? 'given up' : 'not in this run' };
  }
}

/** Whether the run still says something about a row: it was not given up, or its recipient opted out. */
function isKept(report: ReportedRow | undefined): report is ReportedRow {
  return report !== undefined && (report.state !== 'withdrawn' || report.code === 'excluded');
}

type Reports = ReadonlyMap<number, ReportedRow>;

interface Known {
  readonly row: InputRow;
  readonly kind: string;
  readonly line: number;
  /** Among the valid rows. */
  readonly index: number;
}

interface Found {
  readonly reports: Reports;
  readonly others: ReadonlyMap<number, Elsewhere | undefined>;
  readonly unsent: ReportedRow | undefined;
}

/** Another run has sent it, or may have. */
function skippedFor({ run, state, at, id }: Elsewhere, line: number): ShownRow {
  const by = isSingles(run) ? 'send-template' : run;
  const verb = state === 'done' ? 'sent' : 'may have been sent';
  const reason = `${verb} by ${isSingles(run) ? by : `run ${run}`}`;
  return { line, outcome: 'skipped', at, id, reason, run: by };
}

function changedText(file: string, missing: number): string {
  const left = missing > 0 ? `; ${rowsText(missing)} of the run ${missing === 1 ? 'is' : 'are'} not in it` : '';
  return `${file} has changed since the run, so its rows are found by their people, not by their lines${left}`;
}
