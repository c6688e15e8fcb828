import type { Client } from '../client/client.ts';
import type { ListName } from '../contract/endpoints.ts';
import { jsonText } from '../base/json.ts';
import type { Session } from '../session/session.ts';
import { findRows, isRow, type Row } from './output/rows.ts';

export type Query = readonly (readonly [name: string, value: string])[];

type RecordPage = { readonly rows: readonly Row[]; readonly more: boolean } | { readonly whole: unknown };

/** Yields the records of each page, until a page has none that can be found. */
export async function* recordPages(
  { pages }: Pick<Client, 'pages'>,
  { note }: Pick<Session, 'note'>,
  name: ListName,
  query: Query,
): AsyncGenerator<RecordPage> {
  let before: readonly Row[] | undefined;
  let count = 0;
  for await (const { answer, more } of pages(name, query)) {
    const rows = findRows(answer);
    if (!rows && !before) {
      yield { whole: answer };
      return;
    }
    // A service may ignore its own cursor.
    const isRepeated = rows?.length && jsonText(rows) === jsonText(before);
    const end = isRepeated ? 'the service sends the same page again' : 'no single list of records in a further page';
    if (!rows || isRepeated) {
      note('no-further-page', `${end}; showing the pages before it`);
      return;
    }
    before = rows;
    count += rows.length;
    const missing = more ? undefined : missingIn(answer, count);
    if (missing !== undefined) note('maybe-incomplete', `the response has ${missing}, ${unlinked}`);
    yield { rows, more };
  }
}

const unlinked = 'but no link to a next page: records may be missing; lists take --url-param page=2';

/** The field by which the last answer says that there are further records: §4 does not show how to fetch them. */
function missingIn(answer: unknown, count: number): string | undefined {
  const outer = isRow(answer) ? [answer, ...Object.values(answer).filter(isRow)] : [];
  const fields = outer.flatMap((record) => Object.entries(record));
  const flag = fields.find(([name]) => /^has_?(?:more|next(?:_?page)?)$/i.test(name));
  const isTotal = (name: string) => /^total(?:_?(?:count|records|items))?$/i.test(name);
  const missing = flag ?? fields.find(([name, value]) => isTotal(name) && Number(value) > count);
  return missing && missing[1] !== false ? `${missing[0]}: ${jsonText(missing[1])}` : undefined;
}
