import * as read from '../../contract/readers.ts';
import type { Landmark, Stranded } from '../time/time.ts';
import { type Ask, list, number, type Row } from './asking.ts';

export interface RemoteTime {
  clock(): Promise<RemoteNow>;
  freeze(): Promise<RemoteNow>;
  /** Tells what is due later than it would have been. */
  real(): Promise<RemoteNow & Stranded>;
  advance(by: number | Landmark): Promise<RemoteNow & { readonly fired: readonly Row[] }>;
}

interface RemoteNow {
  readonly now: string;
  readonly frozen: boolean;
  readonly ahead: number;
}

export function timeOf(ask: Ask): RemoteTime {
  return {
    clock: () => ask('GET', '/clock', read.object(now)),
    freeze: () => ask('POST', '/clock/freeze', read.object(now)),
    real: () => ask('POST', '/clock/real', read.object({ ...now, later: number, from: stringOrNull })),
    // As long as what it delivers takes.
    advance: (by) =>
      ask('POST', '/clock/advance', read.object({ ...now, fired: list }), { by }, { patience: Infinity }),
  };
}

const now = { now: read.string, frozen: read.boolean, ahead: number } as const;

function stringOrNull(value: unknown, at = ''): string | null {
  return value === null ? null : read.string(value, at);
}
