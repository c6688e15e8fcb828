import type { Gap } from './finding.ts';
import { recordGaps } from './records.ts';
import { surroundingGaps } from './surroundings.ts';
import { writeGaps } from './writes.ts';

/** All that the document says it does not show, by its sections. */
export const gaps: readonly Gap[] = [...recordGaps, ...writeGaps, ...surroundingGaps].sort(
  (one, other) => chapterOf(one) - chapterOf(other),
);

function chapterOf({ section }: Gap): number {
  return Number(/\d+/.exec(section)?.[0]);
}
