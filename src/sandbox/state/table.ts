import { isRecord, optional } from '../../contract/readers.ts';
import { integer } from '../readers.ts';

interface TableOptions<T> {
  /** The ids that find a record; the first one identifies it. Without ids, each record is new. */
  readonly idsOf?: (record: T) => readonly string[];
  /** How many of the newest records are kept (default: all). */
  readonly most?: number;
  /** Whether an older record is kept anyway. */
  readonly isNeeded?: (record: T) => boolean;
}

export interface SavedTable {
  readonly next: number;
  readonly list: readonly unknown[];
}

/** Records in order of creation, numbered from 0 on. A cursor is the number of the next record. */
export class Table<T> {
  /** The number of the next record: how many there have been. */
  next = 0;
  readonly #idsOf: (record: T) => readonly string[];
  readonly #most: number;
  readonly #isNeeded: (record: T) => boolean;
  /** A map keeps the order, also when a record is replaced. */
  readonly #records = new Map<number, T>();
  readonly #numbers = new Map<string, number>();
  /** All records, until one changes. */
  #list: readonly T[] | undefined;

  constructor({ idsOf = () => [], most = Infinity, isNeeded = () => false }: TableOptions<T> = {}) {
    this.#idsOf = idsOf;
    this.#most = most;
    this.#isNeeded = isNeeded;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): T | undefined {
    const number = this.#numbers.get(id);
    return number === undefined ? undefined : this.#records.get(number);
  }

  /** Adds a record, or replaces the one with its id. Drops what is too old. */
  put(record: T): void {
    const ids = this.#idsOf(record);
    const before = ids[0] === undefined ? undefined : this.#numbers.get(ids[0]);
    const number = before ?? this.next++;
    this.#records.set(number, record);
    this.#list = undefined;
    for (const id of ids) this.#numbers.set(id, number);
    this.#dropIfOld(before ?? this.next - 1 - this.#most);
  }

  delete(id: string): void {
    const number = this.#numbers.get(id);
    if (number !== undefined) this.#drop(number);
  }

  clear(): void {
    this.#list = undefined;
    for (const index of [this.#records, this.#numbers]) index.clear();
  }

  all(): readonly T[] {
    return (this.#list ??= [...this.#records.values()]);
  }

  /** The records from a number on, before another. */
  between(from: number, to: number = this.next): readonly T[] {
    const records: T[] = [];
    for (const [number, record] of this.#records) if (number >= from && number < to) records.push(record);
    return records;
  }

  /** Adds saved records. Their cursors stay, except of older ones that were still needed. */
  load({ next, list }: SavedTable): void {
    this.next = Math.max(0, next - list.length);
    for (const value of list) if (this.#isStored(value)) this.put(value);
  }

  /** The file was written from the same records. */
  #isStored(value: unknown): value is T {
    return isRecord(value);
  }

  #dropIfOld(number: number): void {
    if (number >= this.next - this.#most) return;
    const record = this.#records.get(number);
    if (record !== undefined && !this.#isNeeded(record)) this.#drop(number);
  }

  #drop(number: number): void {
    const record = this.#records.get(number);
    this.#records.delete(number);
    this.#list = undefined;
    if (record !== undefined) for (const id of this.#idsOf(record)) this.#numbers.delete(id);
  }
}

/** Which part of a table is meant: the newest records between two cursors. */
export const newestFields = { after: optional(integer()), before: optional(integer()), limit: optional(integer()) };

/** The last items of a list; all without a limit. */
export function newest<T>(all: readonly T[], limit = Infinity): readonly T[] {
  return all.slice(Math.max(0, all.length - limit));
}
