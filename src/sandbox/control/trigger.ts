import { isEventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import { Refusal } from '../refusal.ts';
import { whyNoEvent } from '../trigger/fields.ts';
import type { ControlRoute, Controlled, Input } from './route.ts';

export const triggerRoutes: readonly ControlRoute[] = [{ method: 'POST', path: '/trigger', run: trigger }];

function trigger({ sandbox }: Controlled, { body }: Input): object {
  const asked = body();
  const { event } = read.object({ event: read.string })(asked);
  if (!isEventName(event)) throw new Refusal(400, whyNoEvent(event));
  return sandbox.trigger(event, fieldsOf(asked));
}

function fieldsOf(asked: unknown): Record<string, unknown> | undefined {
  const fields = read.isRecord(asked) ? asked['fields'] : undefined;
  if (fields !== undefined && !read.isRecord(fields)) throw new read.Mismatch('/fields', 'must be an object');
  return fields;
}
