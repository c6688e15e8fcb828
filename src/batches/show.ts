import { basename } from 'node:path';
import { workerText } from '../base/worker.ts';
import { rowsText, timeText, whole } from '../cli/output/figures.ts';
import { startOf } from '../cli/output/text.ts';
import type { Ui } from '../cli/command.ts';
import type { Ending } from '../store/tally.ts';
import type { Batch } from '../store/batch.ts';
import { beforeIn, type BatchState, countsIn, type Reason, reasonsIn, reasonText } from './outcomes.ts';
import { countLiner } from './overview.ts';
import { failedSteps, stepText } from './summary.ts';

/** Deliveries of the messages of a batch, as events reported them. */
export interface Delivered {
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  /** When the latest event was received. */
  readonly until: string | null;
}

/** What a list and the head of a batch have in common. */
export function batchFields(batch: Batch, profile: string | undefined, state: BatchState) {
  const { kind, template, account, mode } = batch.scope;
  return {
    name: batch.name,
    state,
    id: batch.id,
    profile: profile ?? null,
    account,
    mode,
    kind,
    template: kind === 'import' ? null : template,
    file: batch.file === '' ? null : batch.file,
    created: new Date(batch.madeAt).toISOString(),
    last: new Date(batch.lastAt).toISOString(),
  };
}

export interface Showing {
  readonly batch: Batch;
  readonly state: BatchState;
  readonly profile: string | undefined;
  readonly text: string | undefined;
  readonly ending: Ending;
  readonly delivery: Delivered | undefined;
}

export type ShownBatch = Readonly<ReturnType<typeof shownBatch>>;

/** A batch with its counts. `rows` is the sum of the five outcomes. */
export function shownBatch({ batch, state, profile, text, ending, delivery }: Showing) {
  return {
    ...batchFields(batch, profile, state),
    /** Of the template, with a placeholder for each variable. */
    text: text ?? null,
    /** The process that works on it. */
    worker: state === 'working' ? workerText(batch.worker) : null,
    ...countsIn(ending.totals),
    before: beforeIn(ending.tallies),
    reasons: reasonsIn(ending.tallies),
    delivery: delivery ?? null,
  };
}

export interface Hints {
  /** As a command takes it. */
  readonly typedName: string;
  /** The command that is to be repeated after a load that was cut off. */
  readonly command: string;
}

/** At most 20 lines about a batch. */
export function batchText(shown: ShownBatch, hints: Hints, ui: Ui): string {
  const isOpen = shown.state === 'stopped' || shown.state === 'done';
  return [
    ui.line([headLine(shown, ui)]),
    ui.line([contentLine(shown, ui.now())]),
    ...countLines(shown, hints, ui),
    ...(isOpen ? failedSteps(shown, hints.typedName).map((step) => stepText(step, ui)) : []),
  ].join('\n');
}

function headLine({ name, id, state, last, worker, mode, profile, account }: ShownBatch, { color, now }: Ui): string {
  const at = timeText(Date.parse(last), now());
  const what = { working: `${worker} works on it`, 'cut off': `its load was cut off ${at}` };
  const isSpecial = state === 'working' || state === 'cut off';
  return [
    color.bold(`Batch ${name}`),
    isSpecial ? what[state] : `${state} ${at}`,
    `${mode === 'live' ? 'LIVE' : mode} ${profile ?? account}`,
    id,
  ].join(' · ');
}

const longestText = 120;

function contentLine({ template, text, file, rows, created }: ShownBatch, now: number): string {
  const shownText = (text ?? '').replace(/\{\{\s*(\w+)\s*\}\}/g, '{$1}').replace(/\s+/g, ' ');
  const what =
    template === null ? 'contacts' : template + (shownText === '' ? '' : `: ${startOf(shownText, longestText)}`);
  const source = file === null ? 'stdin' : basename(file);
  return `${what} · ${source}, ${rowsText(rows)}, ${timeText(Date.parse(created), now)}`;
}

function countLines(shown: ShownBatch, { typedName, command }: Hints, ui: Ui): readonly string[] {
  const { sent, waiting, failed, unsure, not_sent: notSent, kind, state, reasons } = shown;
  const { color, now } = ui;
  const line = countLiner(ui);
  // At most 20 lines on a terminal.
  const why = (outcome: Reason['outcome']) => reasonText(reasons, outcome, 180);
  const next = state === 'cut off' ? `repeat: ${command}` : `bizmsg batches resume ${typedName}`;
  return [
    ...line(sent, kind === 'import' ? 'imported' : 'sent', sentText(shown, now())),
    ...line(waiting, 'waiting', state === 'working' ? '' : next),
    ...line(failed, 'failed', why('failed'), color.red),
    ...line(unsure, 'unsure', why('unsure'), color.yellow),
    ...line(unsure, 'of these', `bizmsg batches mark ${typedName} --sent, or --not-sent`, color.yellow),
    ...line(notSent, 'not sent', why('not_sent')),
  ];
}

function sentText({ before, delivery }: ShownBatch, now: number): string {
  const parts = before.slice(0, 3).map(({ batch, sent }) => `${whole(sent)} by ${batch ?? 'single messages'}`);
  if (before.length > 3) parts.push('…');
  if (delivery) parts.push(deliveryText(delivery, now));
  return parts.join(' · ');
}

/** `201 delivered, 96 read (events until 16:30)` */
function deliveryText({ delivered, read, failed, until }: Delivered, now: number): string {
  const counts = [`${whole(delivered)} delivered`, `${whole(read)} read`];
  if (failed > 0) counts.push(`${whole(failed)} not delivered`);
  return `${counts.join(', ')}${until === null ? '' : ` (events until ${timeText(Date.parse(until), now)})`}`;
}
