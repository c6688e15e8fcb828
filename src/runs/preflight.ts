import { setFlagsFromString } from 'node:v8';
import type { InputRow, Mapped, Mapper } from './input/row.ts';
import { placeOf, checksumOf, type Checksums, type Source } from './input/source.ts';
import { jsonText } from '../base/json.ts';
import { createInput, type Input } from '../ledger/input.ts';
import { rowSize } from '../ledger/identity.ts';
import type { RowDigest } from '../ledger/ledger.ts';
import { createReasons, type Reasons } from './reasons.ts';
import { findSuspectCell, type SuspectCell } from './mapping/values.ts';

/** The result of the first reading of an input. Nothing has been sent yet. */
export interface Preflight {
  /** All rows, invalid ones too. */
  readonly rows: number;
  readonly invalid: number;
  /** The first of them. */
  readonly invalidRows: readonly InvalidRow[];
  /** Why they are. */
  readonly reasons: Reasons;
  /** Valid rows that are left out. */
  readonly leftOut: typeof noneLeftOut;
  /** Of the row with this number, counted from 1. */
  kindOf(number: number): RowKind;
  /** The valid rows, as the ledger knows them. */
  readonly digests: Input;
  /** The line, or in JSON the record, of a row that is known by its index among the valid ones. */
  placeOf(index: number): number;
  /** The line or record of the first row of the same person and occasion. */
  firstOf(index: number): number;
  /** Frees what only the registration needs, unless rows are in conflict: with a million rows, 24 MB. */
  freeIndexes(): void;
  /** By which a later reading notices that the input has changed. */
  readonly prints: Checksums;
  /** The first body. */
  readonly first: string | undefined;
  /** The first rows that equal an earlier one. */
  readonly duplicateRows: readonly DuplicateRow[];
  /** The first rows with another message for the recipient of an earlier one. */
  readonly conflictRows: readonly DuplicateRow[];
  readonly suspect: number;
  readonly suspectRows: readonly SuspectRow[];
}

/** Why a row is left out: its recipient is excluded, or it does not meet `--where`. */
const leftOutKinds = ['excluded', 'where'] as const;
export type LeftOut = (typeof leftOutKinds)[number];
export const noneLeftOut: Readonly<Record<LeftOut, number>> = { excluded: 0, where: 0 };

export function isLeftOut(kind: string): kind is LeftOut {
  return leftOutKinds.some((one) => one === kind);
}

const rowKinds = ['invalid', 'valid', ...leftOutKinds] as const;
type RowKind = (typeof rowKinds)[number];

interface ListedRow {
  readonly line: number;
  /** Its number, counted from 1. */
  readonly row: number;
}

interface InvalidRow extends ListedRow {
  readonly reason: string;
}

interface DuplicateRow extends ListedRow {
  /** The line or record of the earlier row. */
  readonly as: number;
}

type SuspectRow = SuspectCell & ListedRow;

export interface PreflightOptions {
  readonly source: Source;
  readonly mapper: Mapper;
  readonly digest: (row: Extract<Mapped, { readonly body: object }>) => RowDigest;
  readonly signal: AbortSignal;
  /** Called with the rows read so far. */
  readonly onRows?: (rows: number) => void;
}

/** The number of invalid, suspect and repeated rows that are listed. */
const mostListed = 50;

/** Reads the whole input once: counts and checks its rows, and makes the digests by which the ledger knows them. */
export async function preflight(options: PreflightOptions): Promise<Preflight> {
  const { source, mapper, digest, signal, onRows } = options;
  if (source.size > largeInput) keepYoungGenerationSmall();
  const digests = createInput();
  const kinds = createColumn(Uint8Array);
  const places = createColumn(Uint32Array);
  const [invalidRows, suspectRows]: [InvalidRow[], SuspectRow[]] = [[], []];
  const [duplicateRows, conflictRows]: [DuplicateRow[], DuplicateRow[]] = [[], []];
  let [rows, bytesRead, invalid, suspect] = [0, 0, 0, 0];
  const leftOut = { ...noneLeftOut };
  const reasons = createReasons();
  let first: string | undefined;
  const prints: number[] = [];
  const reserve = createReserve(source.size, (count) => {
    for (const one of [digests, kinds, places]) one.reserve(count);
  });
  for await (const batch of source.rows(signal, (chunk) => take(chunk))) {
    for (const row of batch) look(row);
    onRows?.(rows);
    reserve(rows, bytesRead);
  }
  return {
    rows,
    invalid,
    invalidRows,
    reasons,
    leftOut,
    kindOf: (number) => rowKinds[kinds.at(number - 1)] ?? 'invalid',
    digests,
    placeOf: places.at,
    firstOf,
    freeIndexes() {
      if (conflictRows.length > 0) return;
      digests.freeIndexes();
      places.free();
    },
    prints,
    first,
    duplicateRows,
    conflictRows,
    suspect,
    suspectRows,
  };

  function firstOf(index: number): number {
    return places.at(digests.rowOf(digests.bytes, index * rowSize) ?? 0);
  }

  function take(chunk: Uint8Array): void {
    prints.push(...checksumOf(chunk));
    bytesRead += chunk.length;
  }

  function look(row: InputRow): void {
    rows += 1;
    if ('fields' in row && mapper.isFilteredOut?.(row.fields)) return leave('where');
    const mapped = 'reason' in row ? row : mapper.map(row);
    if ('reason' in mapped) return reject(row, mapped.reason);
    const { body } = mapped;
    if (mapper.isExcluded?.(mapped)) return leave('excluded');
    note('valid');
    let text: string | undefined;
    const content = () => (text ??= jsonText(body));
    first ??= content();
    places.add(placeOf(row, source));
    digests.add(digest(mapped));
    const [place, index] = [{ line: row.line, row: row.number }, digests.count - 1];
    if (!digests.isFirst(index)) {
      const list = digests.isConflict(index) ? conflictRows : duplicateRows;
      if (list.length < mostListed) list.push({ ...place, as: firstOf(index) });
      return;
    }
    const found = 'fields' in row ? findSuspectCell(row.fields, content) : undefined;
    if (!found) return;
    suspect += 1;
    if (suspectRows.length < mostListed) suspectRows.push({ ...place, ...found });
  }

  function note(kind: RowKind): void {
    kinds.add(rowKinds.indexOf(kind));
  }

  function leave(kind: LeftOut): void {
    note(kind);
    leftOut[kind] += 1;
  }

  function reject(row: InputRow, reason: string): void {
    note('invalid');
    invalid += 1;
    reasons.add(reason, placeOf(row, source));
    if (invalidRows.length < mostListed) invalidRows.push({ line: row.line, row: row.number, reason });
  }
}

/** Bytes of some 400,000 rows. */
const largeInput = 1 << 24;

/**
 * V8 would let the space of new objects grow to 48 MB, and to 96 MB since Node 24. It reads this flag whenever that space
 * could grow. Collecting a small one more often takes a few percent more CPU time.
 */
function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Bytes after which the number of rows is estimated, and a share to spare. */
const [sampled, spare] = [1 << 20, 1.1];

/** Makes room for all rows in one step, as soon as their number can be estimated. */
function createReserve(size: number, reserve: (count: number) => void): (rows: number, bytes: number) => void {
  let isDone = false;
  return (rows, bytes) => {
    if (isDone || bytes < sampled) return;
    isDone = true;
    reserve(Math.ceil((rows * spare * size) / bytes));
  };
}

/** One number for each row. */
function createColumn(Numbers: Uint8ArrayConstructor | Uint32ArrayConstructor) {
  let numbers = new Numbers(1_024);
  let count = 0;
  return {
    reserve,
    add(value: number) {
      if (count === numbers.length) reserve(count * 2);
      numbers[count++] = value;
    },
    at: (index: number) => numbers[index] ?? 0,
    free: () => void (numbers = new Numbers(0)),
  };

  function reserve(size: number): void {
    if (size <= numbers.length) return;
    const larger = new Numbers(size);
    larger.set(numbers);
    numbers = larger;
  }
}
