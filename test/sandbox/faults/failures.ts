import type { NewFault } from '../../../src/sandbox/faults.ts';
import { type Calls, paths } from '../calls.ts';

export const onContacts: NewFault = { on: ['listContacts'], effect: { kind: 'status', status: 503 } };

/** One digit per request: 1 if the fault made it fail. */
export async function failures({ get }: Calls, requests: number): Promise<string> {
  let pattern = '';
  for (let request = 0; request < requests; request++)
    pattern += (await get(paths.contacts)).status === 503 ? '1' : '0';
  return pattern;
}
