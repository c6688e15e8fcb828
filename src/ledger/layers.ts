import { createEntries, type Dump, type Entries, erased, type Lookup } from './entries.ts';
import { rowSize } from './identity.ts';
import type { State } from './states.ts';

/** Rows in a file. A look-up reads only the parts that it needs. */
export interface Stored extends Lookup {
  /** Reads the rest. */
  load(): Dump;
  close(): void;
}

/** Rows that may still be in a file. */
export interface Layers extends Entries {
  /** Reads all rows into memory; their numbers stay the same. */
  load(): Entries;
  close(): void;
}

interface Facts {
  scope: number;
  state: State;
  time: number;
  order: number;
}

/** Stored rows as the lower layer; new rows and changes are kept above it. Meant for few look-ups and few changes. */
export function layersOn(stored: Stored): Layers {
  const above = createEntries();
  const size = stored.count();
  /** Of stored rows. */
  const changed = new Map<number, Facts>();
  const scratch = new Uint8Array(rowSize);

  const isStored = (entry: number) => entry < size;
  const raised = (mark: number) => (mark === -1 ? -1 : size + mark);
  const newest = (bytes: Uint8Array, offset: number) => {
    const mark = above.newest(bytes, offset);
    return mark === -1 ? stored.newest(bytes, offset) : raised(mark);
  };
  const newestBySecond = (bytes: Uint8Array, offset: number) => {
    const mark = above.newestBySecond(bytes, offset);
    return mark === -1 ? stored.newestBySecond(bytes, offset) : raised(mark);
  };
  const layers = {
    count: () => size + above.count(),
    newest,
    older(entry: number): number {
      if (isStored(entry)) return stored.older(entry);
      const mark = above.older(entry - size);
      if (mark !== -1) return raised(mark);
      above.read(entry - size, scratch, 0);
      return stored.newest(scratch, 0);
    },
    newestBySecond,
    olderBySecond(entry: number): number {
      if (isStored(entry)) return stored.olderBySecond(entry);
      const mark = above.olderBySecond(entry - size);
      if (mark !== -1) return raised(mark);
      above.read(entry - size, scratch, 0);
      return stored.newestBySecond(scratch, 0);
    },
    read(entry: number, into: Uint8Array, offset: number): void {
      if (isStored(entry)) stored.read(entry, into, offset);
      else above.read(entry - size, into, offset);
    },
    scopeOf: (entry: number) =>
      isStored(entry) ? (changed.get(entry)?.scope ?? stored.scopeOf(entry)) : above.scopeOf(entry - size),
    stateOf: (entry: number) =>
      isStored(entry) ? (changed.get(entry)?.state ?? stored.stateOf(entry)) : above.stateOf(entry - size),
    timeOf: (entry: number) =>
      isStored(entry) ? (changed.get(entry)?.time ?? stored.timeOf(entry)) : above.timeOf(entry - size),
    orderOf: (entry: number) =>
      isStored(entry) ? (changed.get(entry)?.order ?? stored.orderOf(entry)) : above.orderOf(entry - size),
    reserve: (count: number) => above.reserve(Math.max(0, count - size)),
    add: (bytes: Uint8Array, offset: number, scope: number) => raised(above.add(bytes, offset, scope)),
    set(entry: number, change: { readonly state: State; readonly time: number; readonly order: number }): void {
      if (isStored(entry)) Object.assign(factsOf(entry), change);
      else above.set(entry - size, change);
    },
    erase(entry: number): void {
      if (isStored(entry)) factsOf(entry).scope = erased;
      else above.erase(entry - size);
    },
    dump: () => load().dump(),
    load,
    close: stored.close,
  };
  return layers;

  function factsOf(entry: number): Facts {
    const known = changed.get(entry);
    if (known) return known;
    const { scopeOf, stateOf, timeOf, orderOf } = stored;
    const facts = { scope: scopeOf(entry), state: stateOf(entry), time: timeOf(entry), order: orderOf(entry) };
    changed.set(entry, facts);
    return facts;
  }

  function load(): Entries {
    const entries = createEntries(stored.load());
    entries.reserve(layers.count());
    for (let mark = 0; mark < above.count(); mark++) {
      above.read(mark, scratch, 0);
      const entry = entries.add(scratch, 0, above.scopeOf(mark));
      entries.set(entry, { state: above.stateOf(mark), time: above.timeOf(mark), order: above.orderOf(mark) });
    }
    for (const [entry, facts] of changed) {
      entries.set(entry, facts);
      if (facts.scope === erased) entries.erase(entry);
    }
    return entries;
  }
}
