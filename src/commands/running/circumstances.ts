import type { Circumstances } from '../../bulk/run/identity.ts';
import type { RunClient } from '../../cli/run-client.ts';
import type { Job } from './job.ts';

/** All that makes a run this one, but for its input. */
export function circumstancesOf(
  { kind, template, mapping }: Job,
  { target: { address, mode, key } }: Pick<RunClient, 'target'>,
): Circumstances {
  return { kind, template, mapping, address, mode, keyDigest: key };
}
