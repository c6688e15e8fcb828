import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { whole, zonedTime } from '../cli/output/figures.ts';
import { decide, type Plan } from '../store/decide.ts';
import type { Draft } from '../store/draft.ts';
import { columnsThatDiffer } from '../store/repeats.ts';
import { type Forecast, forecast, sum } from './forecast.ts';
import { peopleText } from './overview.ts';

const twentyHours = 20 * 3_600_000;

/** How people who got another text from elsewhere can be sent this one, too. */
export async function heldHints(database: Database, draft: Draft, { held }: Forecast): Promise<readonly string[]> {
  const others = held.filter(({ why }) => why === 'another text');
  if (others.length === 0) return [];
  const free = zonedTime(Math.max(...others.map(({ at }) => at)) + twentyHours);
  const columns = await columnsThatDiffer(database, draft, 'elsewhere');
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
  const who = `${peopleText(sum(earlier), 'message')} got this template before (${names})`;
  context.note('sent-before', `${who}; a live batch leaves them out without --again`);
}
