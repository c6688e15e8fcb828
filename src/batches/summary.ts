import { CliError, type ExitName } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Ui } from '../cli/command.ts';
import { took, whole } from '../cli/output/figures.ts';
import type { Batch } from '../store/batch.ts';
import type { Ending, News, Tally } from '../store/tally.ts';
import type { Assignment } from './order.ts';
import { countsIn } from './outcomes.ts';
import { countLiner, timeText } from './overview.ts';
import { beforeIn, reasonsIn, reasonText } from './reasons.ts';
import { knownReasons } from './answers.ts';
import { toldOf } from './told.ts';
import type { Worked } from './work.ts';
import { json } from '../store/columns.ts';

export type BatchResult = Readonly<ReturnType<typeof resultOf>>;

/** The end of a command: its result, and how it is shown. */
export interface Ended {
  readonly result: BatchResult;
  readonly exit: ExitName | CliError;
  readonly heldHints: readonly string[];
  /** Rows that got the same text from another batch, reported for the first time. */
  readonly sentElsewhere: number;
  /** The command to be repeated with another text, if it had a file. */
  readonly otherText: string | undefined;
  /** `--profile` and `--mode`, for the hints. */
  readonly options: string;
}

export interface Finished {
  readonly assignment: Assignment;
  readonly worked: Worked;
  readonly ending: Ending;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly options: string;
}

export function endedOf(finished: Finished): Ended {
  const { assignment, worked, ending, options } = finished;
  const { batch, file, heldHints } = assignment;
  const isMessage = batch.scope.kind === 'message';
  return {
    result: resultOf(finished),
    exit: exitOf(assignment, worked, ending.news),
    heldHints,
    sentElsewhere: elsewhereIn(assignment, ending.news),
    otherText: isMessage && file !== undefined ? textCommand(batch, file) : undefined,
    options,
  };
}

/** `rows` is the sum of the five outcomes. */
function resultOf({ assignment, worked, ending, startedAt, endedAt }: Finished) {
  const { command, batch, isNew, file, expected } = assignment;
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
    reasons: reasonsIn(ending.tallies).map(({ lines: [line = 0], ...reason }) => ({ ...reason, first_line: line })),
    stopped: stopped ? { code: stopped.code, message: stopped.message } : null,
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
  };
}

/** With each param, for a person who changes one; the batch keeps the other options. */
function textCommand({ scope, name, told }: Batch, file: string): string {
  const params = (toldOf(told).param ?? []).map((param) => `-p ${shellQuote(param)}`);
  return [
    'bizmsg send-batch',
    shellQuote(scope.template),
    shellQuote(file),
    ...params,
    '--batch',
    shellQuote(name),
  ].join(' ');
}

/** The words of the command that loaded a batch. */
export function commandOf({ command }: Batch): string {
  const words = json(command, 'command');
  const typed = Array.isArray(words) ? words.map(String) : [];
  return ['bizmsg', ...typed.map(shellQuote)].join(' ');
}

/** Contacts that the service had before. If it answers all rows alike, the status says nothing. */
function knownIn(tallies: readonly Tally[]) {
  const count = (wanted: string) =>
    tallies.reduce((sum, { reason, count: rows }) => sum + (reason === wanted ? rows : 0), 0);
  const other = count(knownReasons.differs);
  return { known: count(knownReasons.known) + other, other_data: other };
}

/** 10 if rows need a person; some of them count only once. */
function exitOf(assignment: Assignment, { stopped, skipped, kept }: Worked, news: News): Ended['exit'] {
  const { newlyChanged } = assignment.expected;
  if (stopped) {
    const { exit, code, message, hint } = stopped;
    return exit === 'interrupted' || exit === 'terminated' || exit === 'hungUp'
      ? exit
      : new CliError(exit, code, message, { hint });
  }
  const open = news.failed + news.unsure + news.held + news.others + newlyChanged + skipped + kept;
  return open + elsewhereIn(assignment, news) > 0 ? 'partial' : 'done';
}

function elsewhereIn({ batch }: Assignment, { elsewhere }: News): number {
  return batch.scope.kind === 'message' ? elsewhere : 0;
}

/** Shows the end of a command. */
export function resultText(ended: Ended, ui: Ui): string {
  const { result } = ended;
  const { batch, sent, rows, template, stopped, started_at: start, ended_at: end } = result;
  const span = took((Date.parse(end) - Date.parse(start)) / 1_000);
  const steps = nextSteps(ended);
  if (stopped)
    return [`${ui.done(`Batch ${batch} stopped`, 'yellow')} after ${span}: ${stoppedText(result)}`, ...steps].join(
      '\n',
    );
  const become = template === null ? 'are contacts' : `${sent === 1 ? 'has' : 'have'} the message`;
  const head = `${ui.done(`Batch ${batch}`)}: ${whole(sent)} of ${whole(rows)} ${become}, ${span}`;
  return [head, ...countLines(result, ui), ...steps].join('\n');
}

function stoppedText({ sent, failed, unsure, waiting, template }: BatchResult): string {
  const parts = [`${whole(sent)} ${template === null ? 'imported' : 'sent'}`];
  if (failed > 0) parts.push(`${whole(failed)} failed`);
  if (unsure > 0) parts.push(`${whole(unsure)} unsure`);
  parts.push(`${whole(waiting)} waiting`);
  return `${parts.join(', ')}.${template === null ? '' : ' Nobody gets it twice.'}`;
}

function countLines(result: BatchResult, ui: Ui): readonly string[] {
  const {
    rows,
    sent,
    failed,
    unsure,
    waiting,
    not_sent: notSent,
    changed,
    others,
    known,
    other_data: otherData,
    reasons,
  } = result;
  const details = sentText(result, ui);
  const { red, yellow } = ui.color;
  const line = countLiner(ui);
  return [
    // The head says it.
    ...line(details === '' && sent === rows ? 0 : sent, result.template === null ? 'imported' : 'sent', details),
    ...line(failed, 'failed', reasonText(reasons, 'failed'), red),
    ...line(unsure, 'unsure', `may have been sent: ${reasonText(reasons, 'unsure')}`, yellow),
    ...line(waiting, 'waiting', ''),
    ...line(notSent, 'not sent', reasonText(reasons, 'not_sent')),
    ...line(known < sent ? known : 0, 'known', 'of them were contacts before'),
    ...line(otherData, 'known', 'of them keep other data: the API cannot change contacts'),
    ...line(changed, 'changed', changedText(result)),
    ...line(others, 'waiting', 'not in this file'),
  ];
}

function changedText({ template }: BatchResult): string {
  if (template === null) return 'in the file since they were imported: the API cannot change contacts';
  return 'the file has another text now: --resend changed sends them the new one';
}

function sentText({ now, before, sent }: BatchResult, ui: Ui): string {
  const parts = [
    ...(now.sent > 0 && now.sent < sent ? [`${whole(now.sent)} now`] : []),
    ...before.slice(0, 3).map(({ batch, sent: count, at }) => {
      const who = batch === null ? 'single messages' : batch;
      return `${whole(count)} before (${who}, ${timeText(Date.parse(at), ui.now())})`;
    }),
  ];
  return parts.join(' · ');
}

/** The next command for each outcome. */
function nextSteps({ result, heldHints, sentElsewhere, otherText, options }: Ended): readonly string[] {
  const { failed, unsure, waiting, others, stopped } = result;
  const name = shellQuote(result.batch);
  const step = (label: string, text: string) => `${label.padEnd(11)} ${text}`;
  const report = `bizmsg batches report ${name}${options}`;
  const steps = [];
  if (waiting > 0) steps.push(step(stopped ? 'Go on:' : 'The rest:', `bizmsg batches resume ${name}${options}`));
  if (stopped && otherText !== undefined) steps.push(step('Other text:', otherText));
  if (failed > 0 && !stopped)
    steps.push(
      step(`The ${whole(failed)}:`, `${report} --outcome failed > fix.csv`),
      step('', `correct it, then: ${again(result, name, options)}`),
    );
  if (unsure > 0)
    steps.push(
      step(`The ${whole(unsure)}:`, `${report} --outcome unsure`),
      step('', `then: bizmsg batches mark ${name}${options} --sent, or --not-sent`),
      step('', `or send them again: bizmsg batches resume ${name}${options} --resend unsure`),
    );
  if (others > 0)
    steps.push(
      step('Others:', `${whole(others)} of ${name} wait: bizmsg batches resume ${name}${options} sends them,`),
      step('', `bizmsg batches cancel ${name}${options} --missing drops them`),
    );
  if (sentElsewhere > 0 && !stopped)
    steps.push(step('Before:', `the same text reached ${whole(sentElsewhere)}; --again sends it once more`));
  steps.push(...heldHints.map((hint, at) => step(at === 0 ? 'Held:' : '', hint)));
  if (steps.length > 0 && !stopped) steps.push(step('Report:', `${report} > report.csv`));
  return steps;
}

function again({ template }: BatchResult, name: string, options: string): string {
  const what = template === null ? 'contacts import' : `send-batch ${shellQuote(template)}`;
  return `bizmsg ${what} fix.csv --batch ${name}${options}`;
}

/** For a result that could not be printed. */
export function whereToFind({ result, options }: Ended): string {
  return `bizmsg batches show ${shellQuote(result.batch)}${options} shows what was done`;
}
