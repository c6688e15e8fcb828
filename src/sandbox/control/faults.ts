import * as read from '../../contract/readers.ts';
import { newFault } from '../faults/input.ts';
import { Refusal } from '../refusal.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

export const faultRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/faults', run: ({ sandbox }) => ({ faults: sandbox.faults.list() }) },
  {
    method: 'POST',
    path: '/faults',
    run: ({ sandbox }, { body }) => ({ fault: sandbox.faults.add(newFault(body())) }),
  },
  { method: 'POST', path: '/faults/clear', run: clear },
];

/** All of them, unless the body names one. */
function clear({ sandbox }: Controlled, { body }: Input): object {
  const asked = body();
  const id = read.isRecord(asked) && asked['fault'] !== undefined ? read.string(asked['fault'], '/fault') : undefined;
  const cleared = sandbox.faults.clear(id).map(({ id }) => id);
  if (id !== undefined && cleared.length === 0) throw new Refusal(404, `there is no fault ${id}`);
  return { cleared };
}
