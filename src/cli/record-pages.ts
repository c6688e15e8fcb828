import type { Client } from '../client/client.ts';
import { jsonText } from '../base/json.ts';
import { findRows, type Row } from './output/rows.ts';
import type { Context } from './command.ts';

export type ListName = 'listContacts' | 'listTemplates' | 'listCampaigns';
export type Query = readonly (readonly [name: string, value: string])[];

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
