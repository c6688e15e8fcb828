import type { Batches } from './check.ts';
import { digestOf } from './check.ts';
import type { Story } from './story.ts';
import { verdictsIn } from './verdicts.ts';

interface SentAgain {
  /** The lines on which the unsure rows of a run are now. */
  readonly again: readonly number[];
  /** Those on which the others were. */
  readonly gone: readonly number[];
}

/** Which rows of an input are those that another run left unsure. */
export async function sentAgain({ ledger }: Story, journal: string, rows: Batches): Promise<SentAgain> {
  const lines = new Map<number, number[]>();
  for (const { number, line, outcome } of verdictsIn(journal, ledger)) {
    if (outcome !== 'unsure') continue;
    const digest = ledger.digestOf(number);
    lines.set(digest, [...(lines.get(digest) ?? []), line]);
  }
  const again: number[] = [];
  for await (const batch of rows)
    for (const row of batch) {
      const known = 'content' in row ? lines.get(digestOf(row.content)) : undefined;
      if (known?.shift() !== undefined) again.push(row.line);
    }
  return { again, gone: [...lines.values()].flat().sort((a, b) => a - b) };
}
