import type { Ui } from '../cli/command.ts';
import { counted, rowsText, spanText, timeText, whole } from '../cli/output/figures.ts';
import { folded, foldedCommand } from '../cli/output/text.ts';
import type { TemplateText } from '../cli/seen.ts';
import { isRecord } from '../contract/readers.ts';
import type { Batch, Scope } from '../store/batch.ts';
import { json } from '../store/columns.ts';
import { excludedCount } from '../store/draft.ts';
import { listOptOuts } from '../store/opt-outs.ts';
import { sentSince } from '../store/tally.ts';
import type { Desk } from './desk.ts';
import { type Before, type Copied, type Forecast, sum } from './forecast.ts';
import type { Hours } from './hours.ts';
import type { Input } from './input/input.ts';
import { problemsText, problemText } from './outcomes.ts';
import type { Settings } from './settings.ts';
import { messageText } from './template.ts';

interface Preview {
  readonly name: string;
  readonly scope: Scope;
  /** The batch that goes on. */
  readonly batch: Batch | undefined;
  readonly settings: Settings;
  readonly forecast: Forecast;
  /** The file and its rows; undefined if stored rows are sent. */
  readonly load?: Pick<Input, 'name' | 'unit'> & { readonly copied: Copied };
  /** Bodies of the first rows that are sent. */
  readonly samples: readonly string[];
  readonly text: TemplateText | undefined;
  readonly now: number;
}

export type Overview = Awaited<ReturnType<typeof overviewOf>>;

/** Adds the kept options, how long it takes, the plan's month, and opt-outs. */
export async function overviewOf(desk: Desk, preview: Preview, dropsExcluded = false) {
  const { batch, scope, settings, forecast } = preview;
  const excluded = batch && !dropsExcluded ? await excludedCount(desk.database, batch.id) : 0;
  const phones = excluded > 0 ? [`--exclude-from (${counted(excluded, 'person', 'people')})`] : [];
  return { ...preview, kept: [...phones, ...settings.kept], footer: await footerOf(desk, scope, forecast.toSend) };
}

/** The screen before the question, which is also that of a dry run. */
export function overviewText(overview: Overview, width: number): string {
  const { kept, footer } = overview;
  const { profile } = overview.settings;
  const messages = overview.samples.map((body) => sampleText(body, overview.text));
  const line = (...parts: readonly string[]) => folded([parts.join(' · ')], width);
  return [
    line(...headParts(overview)),
    ...(kept.length > 0 ? [line(`Kept: ${kept.join(' · ')}`)] : []),
    ...(profile.length > 0 ? [line(`Profile: ${profile.join(' · ')}`)] : []),
    '',
    ...countLines(overview, width),
    ...(messages.length > 0 ? ['', ...messages.map((text) => line(text))] : []),
    ...(footer.length > 0 ? [line(...footer)] : []),
  ].join('\n');
}

function headParts({ name, scope, load, forecast, settings, batch, now }: Overview): readonly string[] {
  const { country } = settings.effective;
  return [
    `Batch ${name} (${batch ? `last used ${timeText(batch.lastAt, now)}` : 'new'})`,
    ...(scope.kind === 'message' ? [`template ${scope.template}`] : []),
    `${load ? `${load.name}, ` : ''}${rowsText(forecast.rows)}`,
    ...(load && country !== undefined ? [`numbers of ${country}`] : []),
  ];
}

function countLines(overview: Overview, width: number): readonly string[] {
  const { forecast, scope, load, now } = overview;
  const { kind } = scope;
  const { copied, unit = 'line' } = load ?? {};
  const problems = copied?.problems ?? [];
  const { toSend, later, sentHere, before, changed, failed, unsure, held, others } = forecast;
  const done = kind === 'import' ? 'imported' : 'sent';
  const line = (count: number, label: string, text = '') => (count > 0 ? [countLine(count, label, text, width)] : []);
  const invalid = Math.min(failed, sum(problems));
  return [
    countLine(toSend, kind === 'import' ? 'to import' : 'to send', '', width),
    ...(copied ? line(copied.notMobile.count, 'of these', problemText(copied.notMobile, unit)) : []),
    ...line(later, 'waiting', 'until the batch is continued without --first'),
    ...line(sentHere, done, 'by this batch'),
    ...before.flatMap((other) => line(other.count, done, beforeText(other, now))),
    ...line(changed, done, changedText(kind)),
    ...line(invalid, 'failed', problemsText(problems, unit)),
    ...line(failed - invalid, 'failed', 'before, and the row is the same: --resend failed tries them again'),
    ...line(unsure, 'unsure', 'may have been sent: --resend unsure sends them again'),
    ...held.flatMap((other) => line(other.count, 'held', beforeText(other, now))),
    ...line(sum(forecast.notSent), 'not sent', problemsText(forecast.notSent, unit)),
    ...line(others, 'waiting', 'not in this file: they keep waiting'),
  ];
}

function changedText(kind: Scope['kind']): string {
  if (kind === 'import') return 'with other data: the API cannot change contacts';
  return 'with another text: --resend changed sends them the new one';
}

/** A count, what it counts, and why; a narrow terminal gets the reasons below each other. */
function countLine(count: number, label: string, text: string, width: number): string {
  const line = `${whole(count).padStart(6)} ${label.padEnd(9)} ${text}`.trimEnd();
  const indent = ' '.repeat(17);
  return text.includes('bizmsg ') ? foldedCommand(line, width, indent) : folded([line], width, indent);
}

/** Shows a count with outside text, unless it is 0. */
export function countLiner(ui: Ui) {
  return (count: number, label: string, text: string, paint = (plain: string) => plain): readonly string[] =>
    count > 0 ? [paint(countLine(count, label, ui.outside(text), ui.width))] : [];
}

function beforeText({ by, at, why }: Before, now: number): string {
  const who = by === '' ? 'a single message' : `batch ${by}`;
  return `${why}, ${timeText(at, now)}, ${who}${why === 'same text' ? ': not once more' : ''}`;
}

/** `+491701000001  Hello Ada, 20 % off until Sunday.` */
function sampleText(body: string, template: TemplateText | undefined): string {
  const message = json(body, 'body');
  if (!isRecord(message) || typeof message['to'] !== 'string') return body;
  return `${message['to']}  ${messageText(body, template) || String(message['template'])}`;
}

/** How long a batch takes, how much of the plan's month is used, and who is never messaged. */
async function footerOf(desk: Desk, scope: Scope, toSend: number): Promise<readonly string[]> {
  const { database, client, hours, context } = desk;
  const now = context.host.now();
  const lasts = durationText(desk, toSend, now) ?? [];
  if (scope.kind === 'import') return [lasts].flat();
  const { perMonth } = client.target.plan;
  const optOuts = await listOptOuts(database, scope.account);
  const last = optOuts.at(-1);
  const sent = perMonth === undefined ? 0 : await sentSince(database, scope.account, scope.mode, startOfMonth(now));
  return [
    lasts,
    perMonth === undefined ? [] : `${whole(sent)} of ${whole(perMonth)} this month`,
    last ? `${counted(optOuts.length, 'opt-out')}, last ${timeText(last.at, now)}` : [],
    hours ? hoursText(hours, now) : [],
  ].flat();
}

/** Milliseconds. The answers take longer than this. */
const shortestEstimate = 5_000;

/** `7 min at 54 a minute, the first 54 at once`; undefined if no rate is known. */
function durationText({ sender: { pace }, hours }: Desk, toSend: number, now: number): string | undefined {
  const least = pace.minimumDuration(toSend);
  const { limit } = pace;
  if (!limit || least === undefined || toSend === 0) return undefined;
  const most = whole(limit.perWindow);
  // The pace keeps to a window, and does not spread its requests.
  const rate = limit.window === 1_000 ? `${most} a second` : `${most} a minute, the first ${most} at once`;
  if (!hours) return least < shortestEstimate ? `at most ${rate}` : `${roughly(least)} at ${rate}`;
  return `until ${hours.timeText(hours.endOf(now, least))} at ${rate}`;
}

function hoursText(hours: Hours, now: number): string {
  return `only ${hours.text}${hours.isOpen(now) ? '' : `, from ${hours.timeText(hours.opensAt(now))}`}`;
}

/** From 10 minutes on without seconds. */
export function roughly(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  return seconds < 600
    ? spanText(seconds).replace(/ 0 s$/, '')
    : spanText(Math.round(seconds / 60) * 60).replace(/ 0 \w+$/, '');
}

/** In UTC. */
function startOfMonth(now: number): number {
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
}
