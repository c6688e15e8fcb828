import type { EventName } from '../../contract/events.ts';
import * as read from '../../contract/readers.ts';
import { type Ask, list, type Row } from './asking.ts';

export interface RemoteTrigger {
  /** Has an event happen, and what leads to it; whatever is not said of it, the sandbox makes up. */
  trigger(event: EventName, fields?: Row): Promise<RemoteTriggered>;
}

/** All that was caused, in order, and the ids of the records that it is about. */
interface RemoteTriggered {
  readonly events: readonly Row[];
}

export function triggerOf(ask: Ask): RemoteTrigger {
  return {
    // A broadcast may be long.
    trigger: (event, fields) => ask('POST', '/trigger', triggered, { event, fields }, { patience: 60_000 }),
  };
}

const triggered = read.object({ events: list }, read.notShown);
