import { eventNames, isEventName } from '../../contract/events.ts';
import { Refusal } from '../refusal.ts';
import { suggestion } from '../readers.ts';
import type { Sandbox as Service } from '../interface.ts';
import { sleep } from '../time/clock.ts';
import { checked, millisecondsOf } from './argument-checks.ts';
import { eventsIn } from './snapshots.ts';
import type { Sandbox, SandboxEvent } from './types.ts';

type WaitFor = Sandbox['waitFor'];

/** Returns each event once, so that a second call waits for the next one. */
export function createWaitFor(service: Service, closing: AbortSignal): WaitFor {
  const returned = new Set<string>();
  return async (wanted, { within = '4s' } = {}) => {
    const { passes, span } = checked('waitFor', () => ({ passes: testOf(wanted), span: millisecondsOf(within) }));
    const [late, over] = [new AbortController(), new AbortController()];
    sleep(span, over.signal).then(
      () => late.abort(),
      () => {},
    );
    try {
      return await next(passes, within, AbortSignal.any([late.signal, closing]));
    } finally {
      over.abort();
    }
  };

  async function next(
    passes: (event: SandboxEvent) => boolean,
    within: string | number,
    signal: AbortSignal,
  ): Promise<SandboxEvent> {
    const limit = typeof within === 'number' ? `${within} ms` : within;
    for (let after = 0; ;) {
      const { events: cursor } = service.cursors();
      const found = eventsIn(service, after).find((event) => !returned.has(event.id) && passes(event));
      if (found) {
        returned.add(found.id);
        return found;
      }
      after = cursor;
      if (closing.aborted) throw new Error('this sandbox is closed');
      if (signal.aborted) throw new Error(`waitFor: no such event within ${limit}; ${seen(service)}`);
      await service.happening('event', signal);
    }
  }
}

function testOf(wanted: Parameters<WaitFor>[0]): (event: SandboxEvent) => boolean {
  if (typeof wanted === 'function') return wanted;
  if (isEventName(wanted)) return ({ type }) => type === wanted;
  throw new Refusal(400, `"${String(wanted)}" is not an event${suggestion(wanted, eventNames)}`);
}

/** Facts that help to find out why an event is missing. */
function seen(service: Service): string {
  const types = eventsIn(service).map(({ type }) => type);
  const events = types.length === 0 ? 'there is no event yet' : `the last events: ${types.slice(-5).join(', ')}`;
  return service.time.now().frozen ? `${events}; the clock is frozen, so advance it first` : events;
}
