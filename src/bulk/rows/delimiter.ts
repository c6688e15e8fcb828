import { createRecordReader } from './records.ts';
import { separatorIn } from './separator-line.ts';

const delimiters = [',', ';', '\t', '|'] as const;

/** The one by which most records at a table's beginning have as many cells as its header; a comma where none has two. */
export function delimiterOf(head: string, whole: boolean): string {
  const named = separatorIn(/^[^\r\n]*/.exec(head)?.[0] ?? '');
  if (named !== undefined) return named;
  const tried = delimiters.map((delimiter) => ({ delimiter, ...fit(head, delimiter, whole) }));
  const [best] = tried.sort((a, b) => b.share - a.share || b.cells - a.cells);
  return best?.delimiter ?? ',';
}

function fit(head: string, delimiter: string, whole: boolean) {
  let [records, damaged, cells] = [0, 0, 0];
  const reader = createRecordReader(
    { delimiter, limit: head.length },
    {
      record: (record) => {
        cells ||= record.length;
        records++;
      },
      damage: () => damaged++,
    },
  );
  reader.push(head, whole);
  return { cells, share: cells < 2 ? 0 : records / (records + damaged) };
}
