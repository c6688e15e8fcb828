import type { Context, Ui } from '../cli/command.ts';
import type { Client } from '../client/client.ts';
import type { Input } from '../cli/params.ts';
import { flag, option, repeated } from '../cli/params.ts';
import { count, setting } from '../cli/values.ts';
import type { Row } from '../terminal/rows.ts';
import { findRows } from '../terminal/rows.ts';
import { jsonText } from '../json.ts';

export const listParams = {
  all: flag('--all', 'fetch all pages, as far as each answer points to the next'),
  limit: option('--limit <n>', 'show at most n (all that came)', count),
  urlParams: repeated('--url-param <key=value>', "add a parameter to the request's URL", setting),
} as const;

type ListName = 'listContacts' | 'listTemplates' | 'listCampaigns';
export type Query = readonly (readonly [name: string, value: string])[];

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

type RecordPage = { readonly rows: readonly Row[]; readonly more: boolean } | { readonly whole: unknown };

/** Each page's records, as long as there are any to be told. */
export async function* recordPages(
  { pages }: Pick<Client, 'pages'>,
  { note }: Pick<Context, 'note'>,
  name: ListName,
  query: Query,
): AsyncGenerator<RecordPage> {
  let before: readonly Row[] | undefined;
  let empty = 0;
  for await (const { answer, more } of pages(name, query)) {
    const found = findRows(answer);
    if (!found && before === undefined) {
      yield { whole: answer };
      return;
    }
    empty = found?.length === 0 ? empty + 1 : 0;
    const end = empty > mostEmpty ? `${mostEmpty} pages in a row are empty` : endOf(found, before);
    if (end) note('no-further-page', `${end}; shown is what came before it`);
    if (!found || end) return;
    before = found;
    yield { rows: found, more };
  }
}

/** Pages may be empty, as where a service filters them afterwards, but not for ever. */
const mostEmpty = 20;

/** Why a further page is the end of the list, although the one before pointed to it. */
function endOf(found: readonly Row[] | undefined, before: readonly Row[] | undefined): string | undefined {
  if (!found) return 'no single list of records in a further page';
  if (found.length === 0) return undefined;
  // A service that ignores its own cursor sends one page for ever.
  return jsonText(found) === jsonText(before) ? 'the service sends the same page again' : undefined;
}

export function listView(what: string): (data: unknown, ui: Ui) => string {
  return (data) => {
    const empty = data === undefined || data === null || (Array.isArray(data) && data.length === 0);
    return empty ? `No ${what}` : jsonText(data, 2);
  };
}
