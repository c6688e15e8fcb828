import type { OnDamage } from '../../base/journal-lines.ts';
import { flag, type Input, option, repeated, span } from '../../cli/params.ts';
import { isDelivered } from '../../contract/events.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Past } from '../../webhooks/log/history.ts';

export const eventsText = 'only these events, comma-separated; message means its family';
export const whereText = 'only events with this value in the body, such as data.to=+12025550101';

export const selectionParams = {
  since: option('--since <span>', 'only events of the last 10m, 2h or 1d; a bare number is seconds', span),
  events: option('--events <names>', eventsText),
  where: repeated('--where <path=value>', whereText),
  failed: flag('--failed', 'only events whose last forward was not answered with 2xx'),
} as const;

export type Selection = Input<typeof selectionParams>;

export interface Selected {
  readonly past: Past;
  readonly event: WebhookEvent;
}

interface Places {
  readonly stateFolder: string;
  readonly now: number;
  readonly onDamage: OnDamage;
}

/** The selected events, newest first. */
export async function select(
  { stateFolder, now, onDamage }: Places,
  { since, events, where, failed }: Selection,
): Promise<Iterable<Selected>> {
  const [{ newestFirst }, { eventOf }, { selectedBy }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/event/event.ts'),
    import('../../webhooks/event/filters.ts'),
  ]);
  const passes = selectedBy(events, where);
  const from = since === undefined ? -Infinity : now - since;
  function* selected(): Generator<Selected> {
    for (const past of newestFirst(stateFolder, onDamage)) {
      if (past.event.received_at < from) return;
      if (failed && !hasFailed(past)) continue;
      const event = eventOf(past.event);
      if (passes(event)) yield { past, event };
    }
  }
  return selected();
}

/** Whether the last forward was not answered with 2xx. */
export function hasFailed({ forwards: [last] }: Past): boolean {
  return last !== undefined && !isDelivered(last);
}
