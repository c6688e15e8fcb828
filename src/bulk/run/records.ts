import type { ExitName } from '../../errors.ts';
import type { RunKind } from './identity.ts';

/** What follows the name in the first line of a run's journal. */
export const form = { kind: 'run', version: 1 } as const;

/** All of what a run is. Nothing in it is secret. */
export interface RunFacts {
  readonly kind: RunKind;
  /** As it was given; `-` is stdin. */
  readonly path: string;
  /** The command's flags as words. */
  readonly flags: readonly string[];
  readonly mapping: string;
  readonly template?: string | undefined;
  readonly address: string;
  readonly mode: string;
  readonly keyDigest: string;
  /** The key as it may be shown. */
  readonly key: string;
  readonly startedAt: number;
  /** By which a run of the same file is known after the file has changed. */
  readonly place: string | null;
}

/** From a start of the run to its end, or to its crash. */
interface Part {
  readonly at: number;
  readonly pid: number;
  /** What the input holds by now. */
  readonly content: string;
  readonly rows: number;
  /** Whether rows that are unsure are sent again. */
  readonly allowUnsure: boolean;
  /** The numbers of rows that were refused, and that other rows or none have by now. */
  readonly outdated?: readonly number[] | undefined;
}

/** Why a part ended before its rows did. */
export interface Stopped {
  readonly exit: ExitName;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** 0 to 5, as they are recorded. `refused` is failed too, but was never sent. */
export const states = { unsent: 0, sent: 1, done: 2, failed: 3, refused: 4, unsure: 5 } as const;

export type State = (typeof states)[keyof typeof states];

type RejectedState = typeof states.failed | typeof states.refused | typeof states.unsure;

export type RejectedRecord = readonly [
  number: number,
  line: number,
  state: RejectedState,
  exit: ExitName,
  code: string,
  reason: string,
  /** Of a row that was refused, as it was read. */
  digest?: number,
];

/** What one turn of the event loop brought; the milliseconds are since the part began. */
export type RowsRecord = readonly [
  type: 'rows',
  milliseconds: number,
  /** About to be sent, three numbers a row: its number, by how much its line is more than that, its content's digest. */
  sent: readonly number[],
  done: readonly number[],
  /** Not sent after all. */
  unsent: readonly number[],
  rejected: readonly RejectedRecord[],
];

export type RunRecord =
  /** Once more where another key goes on with it. */
  | readonly [type: 'run', facts: RunFacts]
  | readonly [type: 'part', part: Part]
  | RowsRecord
  | readonly [type: 'end', milliseconds: number, stopped: Stopped | null];

const types: ReadonlySet<unknown> = new Set(['run', 'part', 'rows', 'end']);

/** A checksum has shown that it is as it was written. What a later bizmsg records as well is passed over. */
export function isRunRecord(value: unknown): value is RunRecord {
  return Array.isArray(value) && types.has(value[0]);
}
