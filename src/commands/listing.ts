import type { Context, Ui } from '../cli/command.ts';
import { flag, type Input, option, repeated } from '../cli/params.ts';
import { count, setting } from '../cli/values.ts';
import { type ListName, type Query, recordPages } from '../cli/record-pages.ts';
import type { Row } from '../cli/output/rows.ts';
import { jsonText } from '../base/json.ts';

export const listParams = {
  all: flag('--all', 'fetch all pages, as far as each answer points to the next'),
  limit: option('--limit <n>', 'show at most n (all that came)', count),
  urlParams: repeated('--url-param <key=value>', "add a parameter to the request's URL", setting),
} as const;

export function queryOf({ urlParams }: Pick<Input<typeof listParams>, 'urlParams'>): Query {
  return urlParams.map(({ key, value }) => [key.join('.'), value] as const);
}

/** The records of a list in whatever wrapper they came, or the whole answer where none can be told. */
export async function listing(
  context: Context,
  name: ListName,
  { all, limit = Infinity, ...given }: Input<typeof listParams>,
): Promise<unknown> {
  const rows: Row[] = [];
  for await (const page of recordPages(await context.client(), context, name, queryOf(given))) {
    if ('whole' in page) {
      context.note('no-single-list', 'no single list of records in the answer; it is shown whole');
      return page.whole;
    }
    for (const row of page.rows) rows.push(row);
    if (all && rows.length < limit) continue;
    if (rows.length > limit) context.note('cut', `shown are ${limit} of the ${rows.length} records fetched`);
    else if (page.more)
      context.note('more', all ? 'the service has more' : 'the service has more; --all fetches every page');
    break;
  }
  return rows.slice(0, limit);
}

export function listView(what: string): (data: unknown, ui: Ui) => string {
  return (data) => {
    const empty = data === undefined || data === null || (Array.isArray(data) && data.length === 0);
    return empty ? `No ${what}` : jsonText(data, 2);
  };
}
