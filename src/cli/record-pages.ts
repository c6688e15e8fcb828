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
  let [empty, count, read] = [0, 0, 0];
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
    read += 1;
    const missing = more ? undefined : missingIn(answer, count, read);
    if (missing !== undefined) note('maybe-incomplete', incompleteText(missing));
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

/** The field by which the last answer says that there are further records: §4 does not show how to fetch them. */
function missingIn(answer: unknown, count: number, read: number): string | undefined {
  const outer = isRow(answer) ? [answer, ...Object.values(answer).filter(isRow)] : [];
  const fields = outer.flatMap((record) => Object.entries(record));
  const flag = fields.find(([name]) => /^has_?(?:more|next(?:_?page)?)$/i.test(name));
  const number = fields.find(
    ([name, value]) =>
      (/^total(?:_?(?:count|records|items))?$/i.test(name) && Number(value) > count) ||
      (/^(?:total_?pages|page_?count|last_?page)$/i.test(name) && Number(value) > read),
  );
  const found = flag ? (flag[1] === true ? flag : undefined) : number;
  return found && `${found[0]}: ${jsonText(found[1])}`;
}

function incompleteText(missing: string): string {
  return `the response has ${missing}, but no link to a next page: records may be missing; lists take --url-param page=2`;
}
