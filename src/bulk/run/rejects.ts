import type { Row } from '../row.ts';
import { journalPath, readStory } from './story.ts';
import type { Verdict } from './verdicts.ts';
import { openVerdicts } from './verdicts.ts';

export interface Rejected extends Verdict {
  readonly row: Row;
  /** The byte of the journal at which the record begins that says so. */
  readonly place: number;
}

/**
 * The failed and the unsure rows of the whole run, in the order of the input, which is read once more for it: the
 * journal knows why, the input what. So a crash loses none of them, and the files can be made again at any time.
 */
export async function* rejectedRows(
  folder: string,
  rows: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Rejected[]> {
  const ledger = readStory(folder)?.ledger;
  const counts = ledger?.counts();
  if (!ledger || !counts || counts.failed + counts.unsure === 0) return;
  let left = counts.failed + counts.unsure;
  const verdicts = openVerdicts(journalPath(folder), ledger);
  try {
    for await (const batch of rows) {
      const rejected = batch.flatMap((row) => {
        const verdict = verdicts.of(row.number);
        return verdict ? [{ ...verdict, line: row.line, row, place: ledger.placeOf(row.number) }] : [];
      });
      if (rejected.length > 0) yield rejected;
      left -= rejected.length;
      if (left <= 0) return;
    }
  } finally {
    verdicts.close();
  }
}
