import { createHash } from 'node:crypto';
import { createSeen } from './mapping/seen.ts';
import type { Mapped, Row } from './row.ts';
import type { Prints } from './rows/prints.ts';
import { printOf } from './rows/prints.ts';
import type { Source } from './rows/source.ts';
import { placeOf } from './rows/place.ts';
import { suspectIn } from './suspect.ts';
import type { Suspect } from './suspect.ts';
import { jsonText } from '../json.ts';

export interface Survey {
  /** All of them, bad ones too. */
  readonly rows: number;
  readonly bad: number;
  /** The first of the bad ones. */
  readonly badRows: readonly BadPlace[];
  /** The SHA-256 of the input, in hex. */
  readonly content: string;
  /** By which a later reading knows whether it is the same input still. */
  readonly prints: Prints;
  /** The first body that would be sent. */
  readonly first: string | undefined;
  /** Rows whose body was there before; undefined where nobody looked. */
  readonly repeated: number | undefined;
  readonly repeatedRows: readonly RepeatedPlace[];
  /** Good ones that look damaged. */
  readonly suspect: number;
  readonly suspectRows: readonly SuspectPlace[];
}

/** Where a row is. */
interface Place {
  readonly line: number;
  /** Its number, counted from 1. */
  readonly row: number;
}

interface BadPlace extends Place {
  readonly reason: string;
}

interface RepeatedPlace extends Place {
  /** The line or record that has the same. */
  readonly as: number;
}

type SuspectPlace = Suspect & Place;

interface SurveyOptions {
  readonly map: (row: Row) => Mapped;
  /** How many bad and how many suspect and repeated rows are told one by one. */
  readonly most: number;
  readonly compares: boolean;
  readonly signal: AbortSignal;
}

/** Reads the whole input once, before anything of it is sent. */
export async function survey(source: Source, { map, most, compares, signal }: SurveyOptions): Promise<Survey> {
  const hash = createHash('sha256');
  const seen = compares ? createSeen() : undefined;
  const [badRows, repeatedRows, suspectRows]: [BadPlace[], RepeatedPlace[], SuspectPlace[]] = [[], [], []];
  let [rows, bad, repeated, suspects] = [0, 0, 0, 0];
  let first: string | undefined;
  const look = (row: Row) => {
    rows += 1;
    const place = { line: row.line, row: row.number };
    const mapped = map(row);
    if ('reason' in mapped) {
      bad += 1;
      if (badRows.length < most) badRows.push({ ...place, reason: mapped.reason });
      return;
    }
    let text: string | undefined;
    const content = () => (text ??= jsonText(mapped.body));
    first ??= content();
    const suspect = 'fields' in row ? suspectIn(row.fields, content) : undefined;
    if (suspect) {
      suspects += 1;
      if (suspectRows.length < most) suspectRows.push({ ...place, ...suspect });
    }
    const as = seen?.add(content(), placeOf(row, source));
    if (as === undefined) return;
    repeated += 1;
    if (repeatedRows.length < most) repeatedRows.push({ ...place, as });
  };
  const prints: number[] = [];
  const onBytes = (chunk: Uint8Array) => {
    hash.update(chunk);
    prints.push(...printOf(chunk));
  };
  for await (const batch of source.rows(signal, onBytes)) for (const row of batch) look(row);
  const content = hash.digest('hex');
  const doubts = { repeated: compares ? repeated : undefined, repeatedRows, suspect: suspects, suspectRows };
  return { rows, bad, badRows, content, prints, first, ...doubts };
}
