import type { Sandbox as Service } from '../sandbox.ts';
import { isEventName } from '../../contract/events.ts';
import { whyNoEvent } from '../trigger/fields.ts';
import { plainly } from './argument-checks.ts';
import type { EventName, SandboxEvent } from './types.ts';
import { eventsIn } from './seen.ts';

export function triggered(service: Service, event: EventName, fields: object = {}): readonly SandboxEvent[] {
  if (!isEventName(event)) throw new TypeError(`trigger: ${whyNoEvent(event)}`);
  const before = service.cursors().events;
  plainly('trigger', () => service.trigger(event, { ...fields }));
  return eventsIn(service, before);
}
