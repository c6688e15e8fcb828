import type { Context, Ui } from '../cli/command.ts';
import type { Input } from '../cli/params.ts';
import { flag, option, repeated } from '../cli/params.ts';
import { count, setting } from '../cli/values.ts';
import type { Row } from '../terminal/rows.ts';
import { findRows } from '../terminal/rows.ts';

export const listParams = {
  all: flag('--all', 'follow the pages that the answer itself points to'),
  limit: option('--limit <n>', 'show no more than this many', count),
  urlParams: repeated('--url-param <key=value>', "pass a parameter in the request's URL", setting),
} as const;

type ListName = 'listContacts' | 'listTemplates' | 'listCampaigns';

/** The records of a list in whatever wrapper they came, or the whole answer where none can be told. */
export async function listing(
  context: Context,
  name: ListName,
  { all, limit = Infinity, urlParams }: Input<typeof listParams>,
): Promise<unknown> {
  const rows: Row[] = [];
  const query = urlParams.map(({ key, value }) => [key.join('.'), value] as const);
  for await (const page of (await context.client()).pages(name, query)) {
    const found = findRows(page.answer);
    if (!found && rows.length > 0) {
      context.note('no-single-list', 'no single list of records in a further page; shown is what came before it');
      break;
    }
    if (!found) {
      context.note('no-single-list', 'no single list of records in the answer; it is shown whole');
      return page.answer;
    }
    rows.push(...found);
    if (all && rows.length < limit) continue;
    if (rows.length > limit) context.note('cut', `shown are ${limit} of the ${rows.length} records fetched`);
    else if (page.more) context.note('more', 'the service has more; --all fetches every page');
    break;
  }
  return rows.slice(0, limit);
}

export function listView(what: string): (data: unknown, ui: Ui) => string {
  return (data) => (Array.isArray(data) && data.length === 0 ? `No ${what}` : JSON.stringify(data, undefined, 2));
}
