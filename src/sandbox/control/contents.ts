import * as read from '../../contract/readers.ts';
import { oneOf } from './inputs.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

const resettable = ['messages', 'contacts', 'logs', 'all'] as const;

export const contentsRoutes: readonly ControlRoute[] = [
  { method: 'POST', path: '/reset', run: reset },
  { method: 'POST', path: '/seed', run: ({ sandbox }, { body }) => sandbox.seed(body()) },
  { method: 'GET', path: '/export', run: ({ sandbox }) => sandbox.export() },
];

function reset({ sandbox }: Controlled, { body }: Input): object {
  const { what } = read.object({ what: oneOf(resettable) })(body());
  sandbox.reset(what);
  return { counts: sandbox.counts() };
}
