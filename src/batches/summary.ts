import type { CliError, ExitName } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Ui } from '../cli/command.ts';
import { timeText, took, whole } from '../cli/output/figures.ts';
import { folded, foldedCommand } from '../cli/output/text.ts';
import type { Batch } from '../store/batch.ts';
import { json } from '../store/columns.ts';
import type { Resend } from '../store/decide.ts';
import type { Ending, Tally } from '../store/tally.ts';
import type { Forecast } from './forecast.ts';
import { beforeIn, countsIn, knownReasons, reasonsIn, reasonText } from './outcomes.ts';
import { countLiner } from './overview.ts';
import { toldOf } from './settings.ts';
import type { Worked } from './work.ts';

/** A batch that this process holds, and which of its rows it sends. */
export interface Assignment {
  /** A resume sends all rows that wait, and the others those of their file. */
  readonly command: 'send-batch' | 'contacts import' | 'batches resume';
  readonly batch: Batch;
  readonly isNew?: boolean;
  readonly resend: readonly Resend[];
  readonly first?: number | undefined;
  /** The file as it was typed, for the next command. */
  readonly file?: string | undefined;
  readonly expected: Forecast;
  /** Whether the service lists templates, but not this one. */
  readonly isUnlisted: boolean;
  /** How held rows can be sent. */
  readonly heldHints?: readonly string[];
}

export type BatchResult = Readonly<ReturnType<typeof resultOf>>;

/** The end of a command: its result, and how it is shown. */
export interface Ended {
  readonly result: BatchResult;
  readonly exit: ExitName | CliError;
  /** The next command for each outcome. */
  readonly steps: readonly Step[];
  /** The batch as a command takes it, with `--profile` and `--mode`. */
  readonly typedName: string;
}

export interface Finished {
  readonly assignment: Assignment;
  readonly worked: Worked;
  readonly ending: Ending;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly typedName: string;
}

export function endedOf(finished: Finished): Ended {
  const { assignment, worked, ending, typedName } = finished;
  const result = resultOf(finished);
  const elsewhere = assignment.batch.scope.kind === 'message' ? ending.news.elsewhere : 0;
  return {
    result,
    exit: exitOf(finished, elsewhere),
    steps: worked.stopped ? stoppedSteps(finished, result) : nextSteps(finished, result, elsewhere),
    typedName,
  };
}

/** `rows` is the sum of the five outcomes. */
function resultOf({ assignment, worked, ending, startedAt, endedAt }: Finished) {
  const { command, batch, isNew = false, file, expected } = assignment;
  const { account, mode, kind, template } = batch.scope;
  const { sent, failed, unsure, kept, stopped } = worked;
  return {
    type: 'summary' as const,
    command,
    batch: batch.name,
    id: batch.id,
    is_new: isNew,
    account,
    mode,
    template: kind === 'import' ? null : template,
    file: file ?? null,
    ...countsIn(ending.totals),
    now: { sent, failed, unsure },
    before: beforeIn(ending.tallies),
    changed: expected.changed + kept,
    others: ending.news.others,
    ...knownIn(ending.tallies),
    reasons: reasonsIn(ending.tallies),
    stopped: stopped ? { code: stopped.code, message: stopped.message } : null,
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
  };
}

/** Contacts that the service had before. If it answers all rows alike, the status says nothing. */
function knownIn(tallies: readonly Tally[]) {
  const count = (wanted: string) =>
    tallies.reduce((sum, { reason, count: rows }) => sum + (reason === wanted ? rows : 0), 0);
  const other = count(knownReasons.differs);
  return { known: count(knownReasons.known) + other, other_data: other };
}

/** 10 if rows need a person; some of them count only once. */
function exitOf({ assignment, worked, ending }: Finished, elsewhere: number): Ended['exit'] {
  const { stopped, skipped, kept } = worked;
  const { failed, unsure, held, others } = ending.news;
  if (stopped) {
    const { exit, code } = stopped;
    return code === 'interrupted' ? exit : stopped;
  }
  const open = failed + unsure + held + others + assignment.expected.newlyChanged + skipped + kept + elsewhere;
  return open > 0 ? 'partial' : 'done';
}

/** A label, and the command or text after it. */
type Step = readonly [label: string, text: string];

export function stepText([label, text]: Step, { width }: Ui): string {
  const line = `${label.padEnd(11)} ${text}`;
  return text.includes('bizmsg ') ? foldedCommand(line, width, ' '.repeat(14)) : folded([line], width, ' '.repeat(12));
}

function stoppedSteps({ assignment, typedName }: Finished, result: BatchResult): readonly Step[] {
  const { batch, file } = assignment;
  const { waiting } = result;
  const next: Step = ['Go on:', `bizmsg batches resume ${typedName}`];
  const newText = batch.scope.kind === 'import' || file === undefined ? [] : textSteps(batch, file, typedName, waiting);
  return [...(waiting > 0 ? [next, ...newText] : []), ...openSteps(result, typedName)];
}

/** A command with each param, for a person who changes one; the batch keeps the other options. */
function textSteps({ scope, told }: Batch, file: string, typedName: string, waiting: number): readonly Step[] {
  const params = (toldOf(told).param ?? []).map((param) => ` -p ${shellQuote(param)}`).join('');
  const place = `${shellQuote(scope.template)} ${shellQuote(file)}`;
  return [
    ['', `To send these ${whole(waiting)} another text, edit this command:`],
    ['', `bizmsg send-batch ${place}${params} --batch ${typedName}`],
  ];
}

function nextSteps(
  { assignment: { heldHints = [] }, typedName }: Finished,
  result: BatchResult,
  elsewhere: number,
): readonly Step[] {
  const { waiting } = result;
  const rest: Step = ['The rest:', `bizmsg batches resume ${typedName}`];
  const before: Step = ['Before:', `the same text reached ${whole(elsewhere)}; --again sends it once more`];
  const steps: readonly Step[] = [
    ...(waiting > 0 ? [rest] : []),
    ...failedSteps(result, typedName),
    ...openSteps(result, typedName),
    ...(elsewhere > 0 ? [before] : []),
    ...heldHints.map((hint, at) => [at === 0 ? 'Held:' : '', hint] as const),
  ];
  return steps.length === 0 ? [] : [...steps, ['Report:', `bizmsg batches report ${typedName} > report.csv`]];
}

/** How failed rows are corrected and sent again; `batch` as a command takes it. */
export function failedSteps(
  { failed, template }: Pick<BatchResult, 'failed' | 'template'>,
  batch: string,
): readonly Step[] {
  const what = template === null ? 'contacts import' : `send-batch ${shellQuote(template)}`;
  const steps: readonly Step[] = [
    [`The ${whole(failed)}:`, `bizmsg batches report ${batch} --outcome failed > fix.csv`],
    ['', `correct it, then: bizmsg ${what} fix.csv --batch ${batch}`],
  ];
  return failed > 0 ? steps : [];
}

/** The steps for rows that need a decision, also after an interruption. */
function openSteps({ unsure, others }: BatchResult, name: string): readonly Step[] {
  const unsureSteps: readonly Step[] = [
    [`The ${whole(unsure)}:`, `bizmsg batches report ${name} --outcome unsure`],
    ['', `then: bizmsg batches mark ${name} --sent, or --not-sent`],
    ['', `or send them again: bizmsg batches resume ${name} --resend unsure`],
  ];
  const othersSteps: readonly Step[] = [
    ['Others:', `send the ${whole(others)}: bizmsg batches resume ${name}`],
    ['', `or drop them: bizmsg batches cancel ${name} --missing`],
  ];
  return [...(unsure > 0 ? unsureSteps : []), ...(others > 0 ? othersSteps : [])];
}

/** The words of the command that loaded a batch. */
export function commandOf({ command }: Batch): string {
  const words = json(command, 'command');
  const typed = Array.isArray(words) ? words.map(String) : [];
  return ['bizmsg', ...typed.map(shellQuote)].join(' ');
}

/** Shows the end of a command. */
export function resultText({ result, steps }: Ended, ui: Ui): string {
  const { batch, sent, rows, template, stopped, started_at: start, ended_at: end } = result;
  const span = took((Date.parse(end) - Date.parse(start)) / 1_000);
  const next = steps.map((step) => stepText(step, ui));
  if (stopped) {
    const head = `${ui.done(`Batch ${batch} stopped`, 'yellow')} after ${span}: ${stoppedText(result)}`;
    return [ui.line([head]), ...next].join('\n');
  }
  const become = template === null ? 'are contacts' : `${sent === 1 ? 'has' : 'have'} the message`;
  const head = `${ui.done(`Batch ${batch}`)}: ${whole(sent)} of ${whole(rows)} ${become}, ${span}`;
  return [ui.line([head]), ...countLines(result, ui), ...next].join('\n');
}

function stoppedText({ sent, failed, unsure, waiting, template }: BatchResult): string {
  const parts = [`${whole(sent)} ${template === null ? 'imported' : 'sent'}`];
  if (failed > 0) parts.push(`${whole(failed)} failed`);
  if (unsure > 0) parts.push(`${whole(unsure)} unsure`);
  parts.push(`${whole(waiting)} waiting`);
  return `${parts.join(', ')}.${template === null ? '' : ' Nobody gets it twice.'}`;
}

function countLines(result: BatchResult, ui: Ui): readonly string[] {
  const { rows, sent, failed, unsure, waiting, not_sent: notSent, changed, others, known, reasons } = result;
  const isImport = result.template === null;
  const details = sentText(result, ui.now());
  const { red, yellow } = ui.color;
  const line = countLiner(ui);
  const changedText = isImport
    ? 'in the file since they were imported: the API cannot change contacts'
    : 'the file has another text now: --resend changed sends them the new one';
  return [
    // The head says it.
    ...line(details === '' && sent === rows ? 0 : sent, isImport ? 'imported' : 'sent', details),
    ...line(failed, 'failed', reasonText(reasons, 'failed'), red),
    ...line(unsure, 'unsure', `may have been sent: ${reasonText(reasons, 'unsure')}`, yellow),
    ...line(waiting, 'waiting', ''),
    ...line(notSent, 'not sent', reasonText(reasons, 'not_sent')),
    ...line(known < sent ? known : 0, 'known', 'of them were contacts before'),
    ...line(result.other_data, 'known', 'of them keep other data: the API cannot change contacts'),
    ...line(changed, 'changed', changedText),
    ...line(others, 'waiting', 'not in this file'),
  ];
}

function sentText({ now, before, sent }: BatchResult, time: number): string {
  const elsewhere = before.slice(0, 3).map(({ batch, sent: count, at }) => {
    const who = batch === null ? 'single messages' : batch;
    return `${whole(count)} before (${who}, ${timeText(Date.parse(at), time)})`;
  });
  return [...(now.sent > 0 && now.sent < sent ? [`${whole(now.sent)} now`] : []), ...elsewhere].join(' · ');
}

/** For a result that could not be printed. */
export function whereToFind({ typedName }: Ended): string {
  return `bizmsg batches show ${typedName} shows what was done`;
}
