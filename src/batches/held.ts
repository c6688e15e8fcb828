import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import { whole, zonedTime } from '../cli/output/figures.ts';
import type { Draft } from '../store/draft.ts';
import { columnsThatDiffer } from '../store/repeats.ts';
import { type Forecast, sum } from './forecast.ts';

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
