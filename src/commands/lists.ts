import { jsonText } from '../base/json.ts';
import { command, type Context, type Ui } from '../cli/command.ts';
import { callOptions } from '../cli/globals.ts';
import type { Row } from '../cli/output/rows.ts';
import { count, flag, type Input, option, repeated, setting } from '../cli/params.ts';
import type { ListName } from '../contract/endpoints.ts';
import { type Query, recordPages } from '../cli/record-pages.ts';

export const listParams = {
  all: flag('--all', 'fetch all pages'),
  limit: option('--limit <n>', 'show at most n records (default: all that were fetched)', count),
  urlParams: repeated('--url-param <key=value>', 'add a query parameter to the URL of the request', setting),
} as const;

export function queryOf({ urlParams }: Pick<Input<typeof listParams>, 'urlParams'>): Query {
  return urlParams.map(({ key, value }) => [key.join('.'), value] as const);
}

/** Fetches the records of a list, in any wrapper; the whole body if it contains no single list. */
export async function listing(
  context: Context,
  name: ListName,
  { all, limit = Infinity, urlParams }: Input<typeof listParams>,
): Promise<unknown> {
  const rows: Row[] = [];
  for await (const page of recordPages(await context.client(), context, name, queryOf({ urlParams }))) {
    if ('whole' in page) {
      context.note('no-single-list', 'the response contains no single list of records; showing all of it');
      return page.whole;
    }
    for (const row of page.rows) rows.push(row);
    if (all && rows.length < limit) continue;
    if (rows.length > limit) context.note('cut', `showing ${limit} of the ${rows.length} records fetched`);
    else if (page.more)
      context.note('more', all ? 'the service has more' : 'the service has more; --all fetches every page');
    break;
  }
  return rows.slice(0, limit);
}

export function listView(noun: string): (data: unknown, ui: Ui) => string {
  return (data) => {
    const empty = data === undefined || data === null || (Array.isArray(data) && data.length === 0);
    return empty ? `No ${noun}` : jsonText(data, 2);
  };
}

export const listCampaigns = command({
  name: 'list',
  summary: 'List the campaigns',
  params: listParams,
  examples: ['campaigns list --profile local', 'campaigns list --profile local -o csv'],
  accepts: callOptions,
  piped: 'rows',
  first: ['name', 'status', 'template', 'id'],
  run: (context, input) => listing(context, 'listCampaigns', input),
  view: listView('campaigns'),
});
