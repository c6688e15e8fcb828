import { createHash } from 'node:crypto';
import type { Row } from '../../bulk/row.ts';
import { openSource } from '../../bulk/rows/source.ts';
import type { Source } from '../../bulk/rows/source.ts';
import type { Ledger } from '../../bulk/run/ledger.ts';
import { states } from '../../bulk/run/records.ts';
import { readStory } from '../../bulk/run/story.ts';
import { CliError } from '../../errors.ts';
import type { Word } from './listings.ts';
import { jsonText } from '../../json.ts';

/** Of the rows in a file of those that came to nothing, how many there is nobody else to tell of. */
export interface LeftRows {
  readonly total: number;
  readonly done: number;
  /** They are not in the input. */
  readonly gone: number;
  /** They are in the input, neither done nor to be listed anew. */
  readonly waiting: number;
}

interface Asked {
  readonly folder: string;
  readonly source: Source;
  readonly word: Word;
  readonly file: string;
  /** Rows of which the journal tells from this byte on are listed anew. */
  readonly from: number;
}

/** How many there are of each row, by what it holds. */
type Tally = Map<string, number>;

/** Undefined where the file cannot be read. Rows are known by what they hold: their numbers are others in the input. */
export async function leftRows(asked: Asked): Promise<LeftRows | undefined> {
  const left = await contentsOf(asked.file, asked.source);
  if (!left) return undefined;
  const total = sum(left.values());
  const { done, there } = total === 0 ? { done: 0, there: new Map<string, number>() } : await settled(asked, left);
  const waiting = sum(Array.from(left, ([key, count]) => Math.min(count, there.get(key) ?? 0)));
  return { total, done, gone: sum(left.values()) - waiting, waiting };
}

/** Takes those out of which the run tells elsewhere; gives how many are done, and what else is in the input. */
async function settled({ folder, source, word, from }: Asked, left: Tally) {
  const ledger = readStory(folder)?.ledger;
  const there: Tally = new Map();
  let done = 0;
  for await (const batch of ledger ? source.rows() : []) {
    for (const row of batch) {
      const key = keyOf(row);
      const count = left.get(key) ?? 0;
      if (count === 0 || !ledger) continue;
      const isDone = ledger.stateOf(row.number) === states.done;
      if (isDone) done += 1;
      if (isDone || isListed(row.number, { ledger, word, from })) left.set(key, count - 1);
      else add(there, key);
    }
  }
  return { done, there };
}

/** An unsure row stands in the file of those, and is no failed one any more. */
function isListed(number: number, { ledger, word, from }: { ledger: Ledger; word: Word; from: number }): boolean {
  const state = ledger.stateOf(number);
  const isUnsure = state === states.unsure || state === states.sent;
  if (word === 'failed' && isUnsure) return true;
  const isOfThem = isUnsure || (word === 'failed' && (state === states.failed || state === states.refused));
  return isOfThem && ledger.placeOf(number) >= from;
}

async function contentsOf(file: string, { format }: Source): Promise<Tally | undefined> {
  const contents: Tally = new Map();
  try {
    const { rows } = await openSource(file, { format });
    for await (const batch of rows()) for (const row of batch) add(contents, keyOf(row));
    return contents;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

function keyOf(row: Row): string {
  const held = 'fields' in row ? Object.entries(row.fields).sort(([a], [b]) => (a < b ? -1 : 1)) : [row.raw];
  return createHash('sha256').update(jsonText(held)).digest('base64');
}

function add(tally: Tally, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
