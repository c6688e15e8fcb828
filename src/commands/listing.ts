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
  const query = urlParams.map(({ key, value }) => [key.join('.'), value] as const);
  const rows: Row[] = [];
  let before: readonly Row[] | undefined;
  for await (const { answer, more } of (await context.client()).pages(name, query)) {
    const found = findRows(answer);
    if (!found && before === undefined) {
      context.note('no-single-list', 'no single list of records in the answer; it is shown whole');
      return answer;
    }
    const end = endOf(found, before);
    if (end) context.note('no-further-page', `${end}; shown is what came before it`);
    if (!found || end) break;
    before = found;
    rows.push(...found);
    if (all && rows.length < limit) continue;
    if (rows.length > limit) context.note('cut', `shown are ${limit} of the ${rows.length} records fetched`);
    else if (more)
      context.note('more', all ? 'the service has more' : 'the service has more; --all fetches every page');
    break;
  }
  return rows.slice(0, limit);
}

/** Why a further page is the end of the list, although the one before pointed to it. */
function endOf(found: readonly Row[] | undefined, before: readonly Row[] | undefined): string | undefined {
  if (!found) return 'no single list of records in a further page';
  // A service that ignores its own cursor sends one page for ever.
  return JSON.stringify(found) === JSON.stringify(before) ? 'the service sends the same page again' : undefined;
}

export function listView(what: string): (data: unknown, ui: Ui) => string {
  return (data) => {
    const empty = data === undefined || data === null || (Array.isArray(data) && data.length === 0);
    return empty ? `No ${what}` : JSON.stringify(data, undefined, 2);
  };
}
