import * as read from '../../contract/readers.ts';
import type { Resettable } from '../state/records.ts';
import { type Ask, list, number, row, type Row } from './asking.ts';

export interface RemoteContents {
  /** What is returned is how much there is of each then. */
  reset(what: Resettable): Promise<Row>;
  /** Takes the contacts, templates and campaigns; none when one is wrong. */
  seed(contents: object): Promise<RemoteSeeded>;
  export(): Promise<RemoteExport>;
}

interface RemoteSeeded {
  readonly contacts: number;
  readonly templates: number;
  readonly campaigns: number;
}

type RemoteExport = Readonly<Record<'contacts' | 'templates' | 'campaigns' | 'messages' | 'events', readonly Row[]>>;

/** Milliseconds for what may be many records. */
const patience = 120_000;

export function contentsOf(ask: Ask): RemoteContents {
  return {
    reset: async (what) => (await ask('POST', '/reset', read.object({ counts: row }), { what }, { patience })).counts,
    seed: (contents) => ask('POST', '/seed', seeded, contents, { patience }),
    export: () => ask('GET', '/export', exported, undefined, { patience }),
  };
}

const seeded = read.object({ contacts: number, templates: number, campaigns: number });
const exported = read.object({ contacts: list, templates: list, campaigns: list, messages: list, events: list });
