import { unsafe, usage } from '../base/errors.ts';
import { maskPhones } from '../base/redact.ts';
import type { Context } from '../cli/command.ts';
import { counted, rowsText, timeOfDay, whole, zonedTime } from '../cli/output/figures.ts';
import { rendered, type TemplateFacts } from '../cli/templates.ts';
import type { KnownPace } from '../client/pace.ts';
import { isRecord } from '../contract/readers.ts';
import type { Accepted } from '../ledger/ledger.ts';
import type { RunClient, RunTarget } from '../session/session.ts';
import type { Hours } from './hours.ts';
import type { Action } from './action.ts';
import type { RunFlags } from './options.ts';
import type { Unit } from './input/source.ts';
import { reasonLines } from './dry-run.ts';
import type { Preflight } from './preflight.ts';
import { roughly } from './status.ts';
import { dueIn, skipReasons, skipsOf, verbOf } from './tally.ts';

/**
 * A live run asks on a terminal. Elsewhere it requires a limit of its rows; `--yes` alone is not enough, but on a
 * terminal it accepts such a limit as the answer.
 */
export function needsConfirmation(
  { mode }: RunTarget,
  { atMost }: RunFlags,
  { interactive, given }: Pick<Context, 'interactive' | 'given'>,
): boolean {
  return mode !== 'sandbox' && !(atMost !== undefined && (given.yes || !interactive));
}

/** Fewer rows are all shown, and confirmed with a yes. */
export const fewRows = 10;

export async function confirmLive(
  context: Context,
  due: number,
  { isRepeat, overview }: { readonly isRepeat: boolean; readonly overview: () => Promise<string> },
): Promise<void> {
  if (due === 0) return;
  if (!context.interactive) {
    const hint = `nothing was sent; add --at-most ${due}`;
    const also = context.given.yes ? '; --yes is not enough' : '';
    throw unsafe('count-missing', `sending ${rowsText(due)} with a live key must be confirmed${also}`, hint);
  }
  context.reporter.say(await overview());
  if (due < fewRows && !isRepeat) return context.interaction.confirm(due === 1 ? 'Send it?' : `Send these ${due}?`);
  await context.ask(`Type ${due} to send:`, '--at-most', (text) => {
    if (text.trim().replaceAll(',', '') !== String(due))
      throw usage(`type ${due} to send them`, 'Ctrl-C cancels, and nothing is sent');
  });
}

export interface Overview {
  readonly file: string;
  readonly action: Pick<Action, 'kind' | 'template' | 'hours' | 'perColumns' | 'origin'>;
  readonly found: Pick<Preflight, 'rows' | 'invalid' | 'leftOut' | 'reasons'>;
  readonly unit: Unit;
  /** The bodies of all rows that will be sent, or of the first one. */
  readonly bodies: readonly string[];
  readonly accepted: Accepted;
  readonly job: string | null;
  readonly client: Pick<RunClient, 'pace' | 'target'>;
  readonly template: TemplateFacts | undefined;
  /** Messages of the account in this month that the ledger knows. */
  readonly sentThisMonth: number;
  readonly now: number;
}

/** The lines before the question of a live run: its messages, recipients and duration. */
export function overviewLines(overview: Overview): readonly string[] {
  const { accepted, action, now } = overview;
  return [
    ...(accepted.continues ? [`Continues run ${accepted.run}`] : []),
    inputLine(overview),
    ...reasonLines(overview.found.reasons.list(), overview.unit),
    recipientsLine(overview),
    ...bodyLines(overview),
    timeLine(overview),
    ...[action.hours ? hoursText(action.hours, now) : [], action.origin ?? []].flat().map(capitalized),
  ];
}

function inputLine({ file, found, accepted, job, action }: Overview): string {
  const { rows, invalid } = found;
  const { continues } = accepted;
  const skips = skipReasons({ skipped: skipsOf(found, accepted), job, continues, verb: verbOf(action.kind) });
  const left = [...skips, ...(invalid > 0 ? [[invalid, 'invalid'] as const] : [])];
  const texts = left.map(([count, reason]) => `${whole(count)} ${reason}`);
  return `${file}: ${rowsText(rows)}${texts.length > 0 ? `. Not sent: ${texts.join(', ')}` : ''}`;
}

function recipientsLine({ action: { kind, template, perColumns }, accepted }: Overview): string {
  const due = dueIn(accepted);
  if (kind === 'contact') return `creates ${counted(due, 'contact')}`;
  const again = accepted.counts.retry > 0 ? `, ${whole(accepted.counts.retry)} of them once more after a failure` : '';
  if (perColumns.length > 0) return `${template} → ${counted(due, 'message')}${again}`;
  return `${template} → ${due === 1 ? '1 person' : `${whole(due)} people`}${again}`;
}

/** All messages, if they are few. */
function bodyLines({ action, bodies, template, accepted }: Overview): readonly string[] {
  const texts = bodies.map((body) => (action.kind === 'contact' ? maskPhones(body) : messageText(body, template)));
  return texts.length === dueIn(accepted) ? texts.map((text) => `  ${text}`) : texts.map((text) => `First: ${text}`);
}

export function messageText(content: string, template: TemplateFacts | undefined): string {
  const body: unknown = JSON.parse(content);
  if (!isRecord(body)) return maskPhones(content);
  const { to, params } = body;
  if (typeof to !== 'string' || !Array.isArray(params)) return maskPhones(content);
  const texts = params.map(String);
  const text = template && rendered(template, texts);
  return `${to} ${text === undefined ? `params ${JSON.stringify(texts)}` : `"${text}"`}`;
}

function timeLine({ client: { pace, target }, accepted, action, sentThisMonth, now }: Overview): string {
  const { perMonth } = target.plan;
  const month =
    action.kind === 'message' && perMonth !== undefined
      ? `. This month ${whole(sentThisMonth)} of ${whole(perMonth)} were sent from here`
      : '';
  return `${durationText(pace, dueIn(accepted), now, action.hours)?.text ?? 'No rate limit is known'}${month}`;
}

/** The hours, and when sending begins if that is not now. */
export function hoursText(hours: Hours, now: number): string {
  const begin = hours.isOpen(now) ? '' : `; sending begins ${hours.timeText(hours.opensAt(now))}`;
  return `only ${hours.text}${begin}`;
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}

/** How long it will take; undefined if no rate is known. */
export function durationText(
  { known, limit, minimumDuration }: RunClient['pace'],
  due: number,
  now: number,
  hours?: Hours,
): { readonly text: string; readonly isLong: boolean } | undefined {
  const least = minimumDuration(due);
  if (!limit || least === undefined) return undefined;
  const own = known && known !== limit ? `${rateText(known)}, at most ` : '';
  const rate = own + rateText(limit);
  if (least < shortest && (!hours || hours.isOpen(now)))
    return { text: `${rate}, less than ${shortest / 1_000} s unless the limit is used up`, isLong: false };
  const end = hours ? hours.endOf(now, least) : now + least;
  const isSoon = end - now < day && !hours;
  const until = isSoon ? timeOfDay(new Date(end).toISOString()).slice(0, 5) : (hours?.timeText ?? zonedTime)(end);
  return { text: `${rate}, about ${roughly(end - now)}, until ${until}`, isLong: true };
}

function rateText({ perWindow, window }: KnownPace): string {
  return `${whole(perWindow)}/${window === 1_000 ? 's' : 'min'}`;
}

const day = 86_400_000;
/** Milliseconds; a shorter run needs no estimate. */
const shortest = 10_000;
