import { isRecord } from '../../contract/readers.ts';
import type { AdjustableClock, ClockSetting } from '../time/clock.ts';
import type { Ids } from './ids.ts';
import type * as records from './records.ts';
import { type SavedTable, Table } from './table.ts';

/** The number of messages, events and requests that are kept. */
const mostKept = 10_000;

/** Everything but the records. */
export interface Settings {
  /** Number of ids made so far. Ids and random numbers derive from it. */
  serial: number;
  seed: string;
  /** Identifies the stored messages and contacts. */
  dataId: string;
  secret: records.SigningSecret;
  live: boolean;
  plan: records.PlanSetting;
  /** Once it was set. */
  clock: ClockSetting | null;
  /** Number of messages by calendar month, such as 2026-01. */
  months: Readonly<Record<string, number>>;
}

function createTables() {
  return {
    keys: new Table<records.Key>({ idsOf: ({ text }) => [text] }),
    webhooks: new Table<records.Webhook>({ idsOf: ({ id }) => [id] }),
    faults: new Table<records.Fault>({ idsOf: ({ id }) => [id] }),
    contacts: new Table<records.Contact>({ idsOf: ({ phone }) => [phone] }),
    templates: new Table<records.Template>({ idsOf: ({ name }) => [name] }),
    campaigns: new Table<records.Campaign>({ idsOf: ({ id }) => [id] }),
    messages: new Table<records.Message>({
      idsOf: ({ id }) => [id],
      most: mostKept,
      isNeeded: ({ done, receipts }) => done < receipts.length,
    }),
    events: new Table<records.Emitted>({
      idsOf: ({ event, deliveries }) => [event.id, ...deliveries.map(({ id }) => id)],
      most: mostKept,
      isNeeded: ({ deliveries }) => deliveries.some(({ state }) => state === 'waiting'),
    }),
    requests: new Table<records.Call>({ most: mostKept }),
  };
}

type Tables = ReturnType<typeof createTables>;

export interface State extends Settings, Tables {
  readonly tables: Tables;
}

/** A change that followers act on. It is reported once the whole change is done. */
export type Happening =
  | { readonly type: 'message'; readonly message: records.Message }
  | { readonly type: 'event'; readonly emitted: records.Emitted }
  /** A delivery is due, or its next attempt has a time. */
  | { readonly type: 'delivery'; readonly id: string }
  | { readonly type: 'attempt'; readonly id: string }
  | { readonly type: 'request'; readonly call: records.Call }
  | { readonly type: 'reset'; readonly what: records.Resettable }
  | { readonly type: 'clock' | 'contents' | 'faults' | 'keys' | 'plan' | 'webhooks' };

export type Store = ReturnType<typeof createStore>;

/** Shared by the parts of a sandbox. */
export interface Core {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: AdjustableClock;
  /** Receives warnings for the user. */
  warn(text: string): void;
}

/** The state of a sandbox in memory. */
export function createStore(state: State) {
  const listeners = new Set<(what: Happening) => void>();
  let waiting: Happening[] = [];
  return {
    state,
    /** Runs a change, then reports what happened in it. */
    change<T>(run: () => T): T {
      try {
        return run();
      } finally {
        const happened = waiting;
        waiting = [];
        for (const what of happened) for (const listener of listeners) listener(what);
      }
    },
    happened: (what: Happening) => void waiting.push(what),
    /** Calls the listener with everything that happens; returns a stop function. */
    follow(listener: (what: Happening) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export function createState(settings: Settings): State {
  const tables = createTables();
  return { ...settings, ...tables, tables };
}

/** The calendar month in UTC. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, '2026-01'.length);
}

/** The part of a state that is saved beside its tables. */
export function settingsOf({ serial, seed, dataId, secret, live, plan, clock, months }: Settings): Settings {
  return { serial, seed, dataId, secret, live, plan, clock, months };
}

/** The state of a saved one; undefined if it is not one. */
export function loadedState(value: unknown): State | undefined {
  if (!isSaved(value)) return undefined;
  const state = createState(settingsOf(value));
  for (const [name, table] of Object.entries(state.tables)) {
    const saved = value[name];
    if (!isSavedTable(saved)) return undefined;
    table.load(saved);
  }
  return state;
}

/** Checks little: the file has our version, and no other program writes it. */
function isSaved(value: unknown): value is Settings & Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const { serial, seed, secret, plan, months } = value;
  return typeof serial === 'number' && typeof seed === 'string' && [secret, plan, months].every(isRecord);
}

function isSavedTable(value: unknown): value is SavedTable {
  return isRecord(value) && typeof value['next'] === 'number' && Array.isArray(value['list']);
}
