import type { Unprinted } from '../host.ts';
import type { Reporter } from './report.ts';

/** Reports what was given up because nobody read stdout; `kept` says where it can still be found. */
export function noteUnprinted({ bytes, lines }: Unprinted, reporter: Pick<Reporter, 'note'>, kept?: string): void {
  const amount = `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'} (${bytes.toLocaleString('en-US')} bytes)`;
  const where = kept === undefined ? '' : `; ${kept}`;
  reporter.note('unprinted', `not printed: ${amount}, since nobody read stdout after the signal${where}`);
}
