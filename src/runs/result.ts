import { relative } from 'node:path';
import { CliError, type ExitName } from '../base/errors.ts';
import type { Ui } from '../cli/command.ts';
import { rowsText, took, whole } from '../cli/output/figures.ts';
import type { Accepted } from '../ledger/ledger.ts';
import { type DryRunEnded, dryRunText } from './dry-run.ts';
import { nameOf } from './input.ts';
import type { Unit } from './input/source.ts';
import type { Running } from './action.ts';
import { noneLeftOut } from './preflight.ts';
import type { Reason } from './reasons.ts';
import type { Stopped } from './stop.ts';
import { type Counts, skipsOf, skipText, sumOf, verbOf } from './tally.ts';

/** The result of one command. `rows` is the sum of all counts. */
export interface RunResult extends Counts {
  readonly type: 'summary';
  readonly command: string;
  /** Null if there were no rows. */
  readonly run: string | null;
  /** The run was there before. */
  readonly continues: boolean;
  readonly job: string | null;
  readonly account: string | null;
  readonly mode: string;
  readonly template: string | null;
  /** As it was given. */
  readonly file: string;
  readonly earlier: readonly { readonly run: string; readonly at: string; readonly host: string | null }[];
  readonly reasons: readonly Reason[];
  readonly stopped: { readonly code: string; readonly message: string } | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly files: Files;
}

/** The files of rejected rows; null without any. */
interface Files {
  readonly failed: string | null;
  readonly unsure: string | null;
}

export interface Ended {
  readonly result: RunResult;
  readonly exit: ExitName | CliError;
  /** Places of unsure rows, the first of them. */
  readonly unsurePlaces: readonly number[];
  /** They lack only --sent or --not-sent. */
  readonly resolveCommands: readonly string[];
  readonly unit: Unit;
  /** A note has named the likely cause of the failures. */
  readonly hasClue: boolean;
  /** Ends the run if its summary was printed; resolves to a failure to report. */
  readonly finish: (isPrinted: boolean) => Promise<CliError | undefined>;
}

/** The result of an input without rows. The others differ only in what became of the rows. */
export function emptyResult({ context, action, options, input, client, opened }: Running): RunResult {
  const { command, template } = action;
  const now = new Date(context.host.now()).toISOString();
  return {
    type: 'summary',
    command,
    run: null,
    continues: false,
    job: options.job ?? null,
    account: opened.account,
    mode: client.target.mode,
    template: template ?? null,
    file: nameOf(input),
    rows: 0,
    sent: 0,
    failed: 0,
    unsure: 0,
    not_reached: 0,
    skipped: skipsOf({ leftOut: noneLeftOut }, undefined),
    earlier: [],
    reasons: [],
    stopped: null,
    started_at: now,
    ended_at: now,
    files: { failed: null, unsure: null },
  };
}

/** Others that have rows of this input. */
export function earlierOf({ earlier }: Pick<Accepted, 'earlier'>): RunResult['earlier'] {
  return earlier.map(({ run, at, host }) => ({ run, at: new Date(at).toISOString(), host: host ?? null }));
}

/** `clue` is a hint about the likely cause. */
export function exitOf(
  result: Pick<RunResult, 'failed' | 'unsure' | 'not_reached' | 'skipped'>,
  stopped: Stopped | undefined,
  clue: string | undefined,
): ExitName | CliError {
  const { failed, unsure, skipped } = result;
  if (!stopped) return failed + unsure + skipped.unsure + skipped.busy > 0 ? 'partial' : 'done';
  const { exit, code, message } = stopped;
  const hints = [clue, stopped.hint, howToGoOn(result, stopped)].filter((text) => text !== undefined);
  return new CliError(exit, code, message, { hint: hints.join('\n') || undefined });
}

function howToGoOn(
  { not_reached: left, unsure, skipped }: Pick<RunResult, 'not_reached' | 'unsure' | 'skipped'>,
  { exit, code }: Stopped,
): string | undefined {
  if (left === 0) return code === 'database-removed' ? undefined : toEnd(unsure + skipped.unsure);
  const them = left === 1 ? 'it' : 'them';
  if (exit === 'keyRefused')
    return `${unsent(left)}; once the key is accepted, run the same command again with --continue to send ${them}`;
  if (code === 'database-removed') return unsent(left);
  return runAgain(left, code === 'too-many-errors' ? 'fix the cause, then ' : '');
}

/** No row is left, but the run is not finished. */
function toEnd(unsure: number): string {
  if (unsure === 0) return 'no row is left to send; the same command finishes the run';
  const are = unsure === 1 ? 'is' : 'are';
  const them = unsure === 1 ? 'it' : 'them';
  return `${rowsText(unsure)} ${are} unsure; the same command with --retry-unsure sends ${them} again`;
}

function runAgain(left: number, first = ''): string {
  return `${unsent(left)}; ${first}run the same command again to send ${left === 1 ? 'it' : 'them'}`;
}

function unsent(left: number): string {
  return `${rowsText(left)} ${left === 1 ? 'was' : 'were'} not sent`;
}

/** Shows a run or a dry run. */
export const runView = {
  data: (ran: Ended | DryRunEnded) => ('result' in ran ? ran.result : ran.dryRun),
  view: (ran: Ended | DryRunEnded, ui: Ui) => ('result' in ran ? resultText(ran, ui) : dryRunText(ran, ui)),
  exit: (ran: Ended | DryRunEnded) => ran.exit,
  changes: (ran: Ended | DryRunEnded) => 'result' in ran && ran.result.run !== null,
  unprinted: (ran: Ended | DryRunEnded) => ('result' in ran ? whereToFind(ran.result) : undefined),
  finish: async (ran: Ended | DryRunEnded, isPrinted: boolean) => ('result' in ran ? ran.finish(isPrinted) : undefined),
} as const;

function resultText({ result, unit, unsurePlaces, resolveCommands, hasClue }: Ended, ui: Ui): string {
  const { failed, unsure, skipped, files, stopped, not_reached: left } = result;
  const lines = [firstLine(result, ui)];
  if (sumOf(skipped) > 0)
    lines.push(
      `${whole(sumOf(skipped))} skipped: ${skipText({ ...result, verb: verbOf(result.command === 'send-batch' ? 'message' : 'contact') })}`,
    );
  if (failed > 0) lines.push(ui.color.red(`${whole(failed)} failed`) + arrowTo(files.failed));
  const open = unsure + skipped.unsure;
  if (open > 0) {
    const places = unsurePlaces.length === 0 ? '' : ` (${placesIn(unsurePlaces, open, unit)})`;
    lines.push(`${ui.color.yellow(`${whole(open)} unsure`)}${arrowTo(files.unsure)}${places}`);
  }
  // The reasons of failed and unsure rows.
  for (const { reason, count, first_line: line } of result.reasons) {
    const where = line > 0 ? ` (${unit} ${line}${count > 1 ? ', …' : ''})` : '';
    lines.push(ui.line([`  ${whole(count)} x ${reason}${where}`], '    '));
  }
  if (failed > 0 && files.failed !== null && !stopped && !hasClue)
    lines.push(ui.line([failedAdvice(result, files.failed)], '  '));
  if (open > 0 && stopped?.code !== 'database-removed')
    lines.push(...unsureAdvice(open, resolveCommands).map((advice) => ui.line([advice], '  ')));
  if (result.run !== null && !stopped && failed + open + left + sumOf(skipped) > 0)
    lines.push(`each row: bizmsg runs show ${result.run}`);
  if (left > 0 && !stopped)
    lines.push(
      `${whole(left)} not sent yet: run the same command without --first to send ${left === 1 ? 'it' : 'them'}`,
    );
  return lines.join('\n');
}

/** A note about rows that were sent with another text. */
export function changedText(count: number, places: readonly number[], unit: Unit): string {
  const where = places.length === 0 ? '' : ` (${placesIn(places, count, unit)})`;
  return `${rowsText(count)} changed since it was sent${where}: the new text is not sent`;
}

/** If all rows failed, the cause is probably not in the rows. */
function failedAdvice({ rows, failed }: RunResult, file: string): string {
  if (failed === rows && rows > 1) return 'nothing was sent: fix the cause, and run the same command again';
  const [which, them] = failed === 1 ? ['the failed row', 'it'] : ['the failed rows', 'them'];
  return `to send ${which}: fix ${them} in ${nearby(file)}, and run the command with that file`;
}

function unsureAdvice(rows: number, resolving: readonly string[]): readonly string[] {
  const [which, they, them] =
    rows === 1 ? ['the unsure row', 'it was', 'only it'] : ['the unsure rows', 'they were', 'only them'];
  const commands = resolving.slice(0, 3).map((command) => `${command} --sent, or --not-sent`);
  const ifKnown = commands.length === 0 ? '' : `; if you know whether ${they}: ${commands.join('; ')}`;
  return [`${which} may have been sent${ifKnown}`, `to send ${them} again: the same command with --retry-unsure`];
}

function firstLine({ command, rows, sent, stopped, started_at: from, ended_at: to }: RunResult, ui: Ui): string {
  const far = `${whole(sent)} of ${rowsText(rows)} ${verbOf(command === 'send-batch' ? 'message' : 'contact')}`;
  const time = took((Date.parse(to) - Date.parse(from)) / 1_000);
  if (stopped) return `${ui.done('Stopped', 'yellow')} after ${time}: ${far}`;
  return `${ui.done('Done')}: ${far} in ${time}`;
}

/** A file in the current folder is shown by its name. */
function arrowTo(file: string | null): string {
  return file === null ? '' : ` → ${nearby(file)}`;
}

function nearby(file: string): string {
  const near = relative('', file);
  return near.startsWith('..') ? file : near;
}

const mostRanges = 20;

/** A list of lines, shortened: `lines 3, 7–9 and 20 more`. `places` may have only the first of them. */
function placesIn(places: readonly number[], count: number, unit: Unit = 'line'): string {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  const ranges = rangesOf(sorted).slice(0, mostRanges);
  const shown = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const texts = ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const left = count - shown - (places.length - sorted.length);
  return `${unit}${count === 1 ? '' : 's'} ${texts.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function rangesOf(sorted: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  for (const place of sorted) {
    const range = ranges.at(-1);
    if (range && place === range[1] + 1) range[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}

/** For a result that could not be printed. */
function whereToFind({ run, not_reached: left }: RunResult): string | undefined {
  if (run === null) return undefined;
  const rest = left === 0 ? '' : `${runAgain(left)}; `;
  return `${rest}bizmsg runs show ${run} shows what was done`;
}
