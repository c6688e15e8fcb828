import type { Client } from '../client/client.ts';
import type { ListName } from '../contract/endpoints.ts';
import { jsonText } from '../base/json.ts';
import { findRows, isRow, type Row } from './output/rows.ts';
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
  let [empty, count] = [0, 0];
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
    count += found.length;
    const missing = more ? undefined : missingIn(answer, count);
    if (missing !== undefined) note('maybe-incomplete', `the response has ${missing}, ${unlinked}`);
    yield { rows: found, more };
  }
}

const unlinked = 'but no link to a next page: records may be missing; lists take --url-param page=2';
/** A service may return empty pages if it filters after paging. */
const mostEmpty = 20;

/** Why a page ends the list although the previous one links to it. */
function endOf(found: readonly Row[] | undefined, before: readonly Row[] | undefined): string | undefined {
  if (!found) return 'no single list of records in a further page';
  if (found.length === 0) return undefined;
  // A service that ignores its own cursor returns the same page forever.
  return jsonText(found) === jsonText(before) ? 'the service sends the same page again' : undefined;
}

/** The field by which the last answer says that there are further records: §4 does not show how to fetch them. */
function missingIn(answer: unknown, count: number): string | undefined {
  const outer = isRow(answer) ? [answer, ...Object.values(answer).filter(isRow)] : [];
  const fields = outer.flatMap((record) => Object.entries(record));
  const flag = fields.find(([name]) => /^has_?(?:more|next(?:_?page)?)$/i.test(name));
  const isTotal = (name: string) => /^total(?:_?(?:count|records|items))?$/i.test(name);
  const missing = flag ?? fields.find(([name, value]) => isTotal(name) && Number(value) > count);
  return missing && missing[1] !== false ? `${missing[0]}: ${jsonText(missing[1])}` : undefined;
}
