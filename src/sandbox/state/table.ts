import { jsonText } from '../../base/json.ts';
import { isRecord } from '../../contract/readers.ts';
import { integer, optional } from '../readers.ts';

interface TableOptions<T> {
  /** The ids that find a record; the first one identifies it. Without ids, each record is new. */
  readonly idsOf?: (record: T) => readonly string[];
  /** How many of the newest records are kept (default: all). */
  readonly most?: number;
  /** Whether an older record is kept anyway. */
  readonly isNeeded?: (record: T) => boolean;
}

/** The records of one part of a saved table. Their JSON is made once. */
export interface Block {
  readonly records: readonly unknown[];
  json: Buffer | undefined;
}

export interface SavedTable {
  readonly next: number;
  readonly list: readonly unknown[];
}

const blockSize = 100;

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
  readonly #blocks = new Map<number, Block>();

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
    for (const id of ids) this.#numbers.set(id, number);
    this.#blocks.delete(Math.floor(number / blockSize));
    this.#dropIfOld(before ?? this.next - 1 - this.#most);
  }

  delete(id: string): void {
    const number = this.#numbers.get(id);
    if (number !== undefined) this.#drop(number);
  }

  clear(): void {
    for (const index of [this.#records, this.#numbers, this.#blocks]) index.clear();
  }

  all(): readonly T[] {
    return [...this.#records.values()];
  }

  /** The records from a number on, before another. */
  between(from: number, to: number = this.next): readonly T[] {
    const records: T[] = [];
    for (const [number, record] of this.#records) if (number >= from && number < to) records.push(record);
    return records;
  }

  /** A page of records by their place, which is the same as long as none is deleted. */
  page(start: number, size: number): readonly T[] {
    return this.#numbered(this.#first() + start, size);
  }

  /** The records as they are now, in blocks. A block without a change is the one of the last call. */
  blocks(): readonly Block[] {
    const blocks: Block[] = [];
    for (let at = Math.floor(this.#first() / blockSize); at * blockSize < this.next; at += 1) {
      const known = this.#blocks.get(at);
      const block = known ?? { records: this.#numbered(at * blockSize, blockSize), json: undefined };
      if (!known) this.#blocks.set(at, block);
      blocks.push(block);
    }
    return blocks;
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

  #numbered(from: number, count: number): readonly T[] {
    const numbers = Array.from({ length: count }, (_, offset) => from + offset);
    return numbers.flatMap((number) => this.#records.get(number) ?? []);
  }

  #first(): number {
    for (const number of this.#records.keys()) return number;
    return this.next;
  }

  #dropIfOld(number: number): void {
    if (number >= this.next - this.#most) return;
    const record = this.#records.get(number);
    if (record !== undefined && !this.#isNeeded(record)) this.#drop(number);
  }

  #drop(number: number): void {
    const record = this.#records.get(number);
    this.#records.delete(number);
    this.#blocks.delete(Math.floor(number / blockSize));
    if (record !== undefined) for (const id of this.#idsOf(record)) this.#numbers.delete(id);
  }
}

/** The JSON of a block, without brackets. */
export function jsonOf(block: Block): Buffer {
  return (block.json ??= Buffer.from(jsonText(block.records).slice(1, -1)));
}

/** Which part of a table is meant: the newest records between two cursors. */
export const newestFields = { after: optional(integer()), before: optional(integer()), limit: optional(integer()) };

/** The last items of a list; all without a limit. */
export function newest<T>(all: readonly T[], limit = Infinity): readonly T[] {
  return all.slice(Math.max(0, all.length - limit));
}
