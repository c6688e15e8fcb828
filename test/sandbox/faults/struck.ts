import type { NewFault } from '../../../src/sandbox/state/records.ts';
import { type Calls, paths } from '../calls.ts';

export const onContacts: NewFault = { on: ['listContacts'], effect: { kind: 'status', status: 503 } };

/** One digit a request: 1 where it was struck. */
export async function struck({ get }: Calls, requests: number): Promise<string> {
  let pattern = '';
  for (let request = 0; request < requests; request++)
    pattern += (await get(paths.contacts)).status === 503 ? '1' : '0';
  return pattern;
}
