import * as read from '../../contract/readers.ts';
import { Refusal } from '../refusal.ts';
import { landmarks } from '../time/time.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

export const timeRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/clock', run: ({ sandbox }) => sandbox.time.now() },
  { method: 'POST', path: '/clock/freeze', run: ({ sandbox }) => sandbox.time.freeze() },
  { method: 'POST', path: '/clock/real', run: ({ sandbox }) => sandbox.time.real() },
  { method: 'POST', path: '/clock/advance', run: advance },
];

function advance({ sandbox }: Controlled, { body }: Input): Promise<object> {
  const { by } = read.object({ by: read.notShown })(body());
  const span = typeof by === 'number' ? by : landmarks.find((landmark) => landmark === by);
  if (span === undefined) throw new Refusal(400, `by must be milliseconds, or one of ${landmarks.join(', ')}`);
  return sandbox.time.advance(span);
}
