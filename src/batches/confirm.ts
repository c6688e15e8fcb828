import { unsafe, usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { counted, rowsText, whole, zonedTime } from '../cli/output/figures.ts';
import type { Scope } from '../store/batch.ts';
import { anyText } from '../store/before.ts';
import { decide, type Plan } from '../store/decide.ts';
import { columnsThatDiffer, type Draft, listedTwice } from '../store/draft.ts';
import { type Copied, type Forecast, forecast, sum } from './forecast.ts';
import { type Overview, overviewText } from './overview.ts';

export interface Question {
  readonly scope: Scope;
  readonly forecast: Forecast;
  readonly atMost: number | undefined;
  /** Whether a person was asked for a part of the command, so that nothing is sent before a yes. */
  readonly isAsked?: boolean;
  /** Options of the profile, which are shown by the overview, or else by a note. */
  readonly profile: readonly string[];
  /** Whether the people who got it before can be sent it once more. */
  readonly mayRepeat?: boolean;
  /** Whether the first message can be sent to the user before. */
  readonly mayTest?: boolean;
  /** Whether it was. */
  readonly isTested?: boolean;
  overview(): Promise<Overview>;
}

type Answer = 'send' | 'again' | 'test';

/** A batch with fewer rows is confirmed with a yes. */
const fewRows = 10;

/** Asks a person before something is sent, and refuses a live script without a limit. */
export async function confirmed(context: Context, question: Question): Promise<Answer> {
  const { scope, forecast, atMost, isAsked = false, profile } = question;
  const isLive = scope.mode === 'live';
  const { toSend } = forecast;
  refuseTooMany(toSend, atMost);
  const { interactive, given, reporter, host } = context;
  const isAnswered = given.yes && (atMost !== undefined || !isLive);
  if (!interactive && isLive && atMost === undefined && toSend > 0) throw unlimited(context, toSend);
  if (!interactive || isAnswered || !(isLive || isAsked)) {
    if (profile.length > 0) context.note('settings', `settings of the profile: ${profile.join(' · ')}`);
    return 'send';
  }
  reporter.say(`${overviewText(await question.overview(), host.stderr.columns || 80)}\n`);
  const earlier = question.mayRepeat ? sum(forecast.before) + sum(forecast.held) : 0;
  if (toSend + earlier === 0) return 'send';
  return ask(context, question, earlier);
}

export function refuseTooMany(toSend: number, atMost = Infinity): void {
  if (toSend <= atMost) return;
  throw unsafe(
    'too-many-rows',
    `${rowsText(toSend)} would be sent, more than --at-most ${atMost}`,
    `nothing was sent; check the file, or give --at-most ${toSend}`,
  );
}

function unlimited({ given }: Context, toSend: number): Error {
  const also = given.yes ? '; --yes is not enough' : '';
  const message = `sending ${rowsText(toSend)} with a live key must be confirmed${also}`;
  return unsafe('count-missing', message, `nothing was sent; add --at-most ${toSend}`);
}

async function ask(context: Context, question: Question, earlier: number): Promise<Answer> {
  const { scope, forecast, mayTest, isTested } = question;
  const { toSend } = forecast;
  const isTestable = mayTest === true && toSend > 0;
  const verb = scope.kind === 'import' ? 'import' : 'send';
  const word = toSend < fewRows ? 'y' : String(toSend);
  const ways = [
    ...(toSend === 0 ? [] : [toSend < fewRows ? `y to ${verb} ${toSend}` : `${whole(toSend)} to ${verb}`]),
    ...(isTestable ? ['t test to yourself'] : []),
    ...(earlier === 0 ? [] : [againText(toSend, earlier)]),
    'Enter stops',
  ];
  const typed = await context.ask(`Type ${ways.join(' · ')}:`, '--at-most', (text) => {
    const answer = plain(text);
    if (answer === '' || (answer === word && toSend > 0) || (answer === 'a' && earlier > 0)) return;
    if (answer === 't' && isTestable) return;
    throw usage(`type ${toSend > 0 ? word : 'a'} to ${verb}`, 'Enter stops, and nothing is sent');
  });
  const answer = plain(typed);
  if (answer === '') throw unsafe('declined', `declined; nothing ${isTested ? 'else ' : ''}was sent`);
  if (answer === 't') return 'test';
  return answer === 'a' ? 'again' : 'send';
}

function againText(toSend: number, earlier: number): string {
  return toSend === 0 ? `a to send to these ${whole(earlier)} once more` : `a the ${whole(earlier)} once more too`;
}

function plain(text: string): string {
  const typed = text.trim().toLowerCase().replaceAll(',', '');
  return typed === 'yes' ? 'y' : typed;
}

/** People with several texts in one file: a live batch sends them the first only after a confirmation. */
export async function refuseListedTwice(
  context: Context,
  database: Database,
  draft: Draft,
  { count, unit }: { readonly count: number; readonly unit: 'line' | 'row' },
): Promise<void> {
  const { scope } = draft;
  if (count === 0) return;
  const { people, columns } = await listedTwice(database, draft);
  const named = people.slice(0, 3).map(({ who, lines }) => `${who} (${unit}s ${lines.join(' and ')})`);
  const more = count > named.length ? ` and ${whole(count - named.length)} more` : '';
  const what = scope.kind === 'import' ? 'other values' : 'another text';
  const again = `${counted(count, 'row')} ${count === 1 ? 'lists a person' : 'list people'} again, with ${what}`;
  const message = `${again}: ${named.join(', ')}${more}`;
  if (scope.mode === 'sandbox' || scope.kind === 'import' || context.given.dryRun)
    return context.note('twice', `${message}; the first counts`);
  if (context.interactive) {
    const send = { name: 'Send each the first', isSent: true };
    const { isSent } = await context.choose(`${message}.`, [send, { name: 'Stop', isSent: false }]);
    if (!isSent) throw unsafe('declined', 'declined; nothing was sent');
    return;
  }
  const both = columns.map(
    (column) => `; --per ${shellQuote(column)} sends each text: ${counted(count, 'more message')}`,
  );
  throw unsafe('listed-twice', message, `nothing was sent; --per phone sends each the first${both.join('')}`);
}

/** Many numbers that are not mobile ones show a wrong country, so that strangers would get the messages. */
export function refuseOtherNumbers({ interactive }: Context, scope: Scope, { sendable, notMobile }: Copied): void {
  if (interactive || scope.mode !== 'live' || notMobile.count <= sendable / 10) return;
  const message = `${whole(notMobile.count)} of ${whole(sendable)} numbers are not mobile numbers of their country`;
  throw unsafe('other-numbers', message, 'nothing was sent; check --country, and look at them with --dry-run');
}

/** How people who got another text from elsewhere can be sent this one, too. */
export async function heldHints(database: Database, draft: Draft, { held }: Forecast): Promise<readonly string[]> {
  const others = held.filter(({ why }) => why === 'another text');
  if (others.length === 0) return [];
  const free = zonedTime(Math.max(...others.map(({ at }) => at)) + anyText);
  const columns = await columnsThatDiffer(database, draft);
  const perText = columns.map((column) => `--per ${shellQuote(column)}`).join(' or ');
  return [
    `wait until ${free}, then repeat the command; or --again sends the ${whole(sum(others))} now`,
    ...(perText === '' ? [] : [`or a new batch with ${perText}: one message each`]),
  ];
}

/** With a sandbox key, it is only a note that people got the template before. */
export async function noteEarlier(context: Context, database: Database, plan: Plan): Promise<void> {
  const { draft } = plan;
  const { scope } = draft;
  if (scope.kind === 'import' || scope.mode === 'live') return;
  const asLive: Plan = { ...plan, draft: { ...draft, scope: { ...scope, mode: 'live' } } };
  const { before, held } = forecast(await decide(database, asLive), Infinity);
  const earlier = [...before, ...held];
  if (earlier.length === 0) return;
  const names = [...new Set(earlier.map(({ by }) => (by === '' ? 'single messages' : by)))].slice(0, 3).join(', ');
  const who = `${counted(sum(earlier), 'person', 'people')} got this template before (${names})`;
  context.note('sent-before', `${who}; a live batch leaves them out without --again`);
}
