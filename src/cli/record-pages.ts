import type { Client } from '../client/client.ts';
import type { ListName } from '../contract/endpoints.ts';
import { jsonText } from '../base/json.ts';
import { findRows, type Row } from './output/rows.ts';
import type { Context } from './command.ts';

export type Query = readonly (readonly [name: string, value: string])[];

type RecordPage = { readonly rows: readonly Row[]; readonly more: boolean } | { readonly whole: unknown };

/** Yields the records of each page, until a page has none that can be found. */
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
    if (end) note('no-further-page', `${end}; showing the pages before it`);
    if (!found || end) return;
    before = found;
    yield { rows: found, more };
  }
}

/** A service may return empty pages if it filters after paging. */
const mostEmpty = 20;

/** Why a page ends the list although the previous one links to it. */
function endOf(found: readonly Row[] | undefined, before: readonly Row[] | undefined): string | undefined {
  if (!found) return 'no single list of records in a further page';
  if (found.length === 0) return undefined;
  // A service that ignores its own cursor returns the same page forever.
  return jsonText(found) === jsonText(before) ? 'the service sends the same page again' : undefined;
}
