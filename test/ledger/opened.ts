import type { Ledger } from '../../src/ledger/ledger.ts';
import { type LedgerOptions, openLedger as open } from '../../src/ledger/open.ts';
import { alive } from '../support/cli.ts';
import { host } from './drivers.ts';
import { byDigest, type Process, type RowNumbers } from './machine.ts';

export interface OpenOptions extends Partial<Omit<LedgerOptions, 'stateFolder' | 'host'>> {
  readonly host?: Partial<LedgerOptions['host']>;
}

/** The ledger in a file of this folder. */
export function openLedger(folder: string, { host: given, ...rest }: OpenOptions = {}): Promise<Ledger> {
  const own = { ...host, pid: process.pid, kill: alive, ...given };
  return open({ stateFolder: folder, host: own, isLocal: false, isLive: false, note: () => {}, ...rest });
}

/** The same, by digests of rows that this process or an earlier one with these numbers registered. */
export async function openByDigest(
  folder: string,
  options: OpenOptions = {},
  numbers: RowNumbers = new Map(),
): Promise<Omit<Process, 'pid'>> {
  return byDigest(await openLedger(folder, options), numbers);
}
