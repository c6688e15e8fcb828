import { warnOncePerFile } from '../../base/journal-lines.ts';
import type { Context } from '../../cli/command.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { Source } from '../list.ts';

export interface RecordedEvent {
  readonly past: Past;
  readonly event: WebhookEvent;
}

/** The events that listeners on this machine recorded. */
export async function recordedEvents(context: Context): Promise<Source<RecordedEvent>> {
  const [{ newestFirst }, { cursorNow, follow }, { eventOf }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/log/follow.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const stateFolder = context.stateFolder();
  const { later, signal } = context.host;
  const onDamage = warnOncePerFile(context, 'journal-damaged');
  const facts = follow(stateFolder, { from: cursorNow(stateFolder), later, signal, onDamage });
  const recorded = (past: Past) => ({ past, event: eventOf(past.event) });
  return {
    async *back(size) {
      let records: RecordedEvent[] = [];
      for (const past of newestFirst(stateFolder, onDamage)) {
        records.unshift(recorded(past));
        if (records.length < size) continue;
        yield { records, cursor: 0 };
        records = [];
      }
      yield { records, cursor: 0 };
    },
    async after(cursor) {
      const { value } = await facts.next();
      return { records: value?.type === 'received' ? [recorded({ event: value, forwards: [] })] : [], cursor };
    },
  };
}
