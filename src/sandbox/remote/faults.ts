import * as read from '../../contract/readers.ts';
import type { NewFault } from '../state/records.ts';
import { type Ask, list, row, type Row } from './asking.ts';

export interface RemoteFaults {
  faults(): Promise<readonly Row[]>;
  addFault(fault: NewFault): Promise<Row>;
  /** That one, or all; what is returned are the ids of those that were. */
  clearFaults(id?: string): Promise<readonly string[]>;
}

export function faultsOf(ask: Ask): RemoteFaults {
  return {
    faults: async () => (await ask('GET', '/faults', read.object({ faults: list }))).faults,
    addFault: async (fault) => (await ask('POST', '/faults', read.object({ fault: row }), fault)).fault,
    clearFaults: async (fault) => {
      const answer = read.object({ cleared: read.list(read.string) });
      return (await ask('POST', '/faults/clear', answer, { fault })).cleared;
    },
  };
}
