import type { OnDamage } from '../../base/journal-lines.ts';
import type { Context } from '../../cli/command.ts';
import { flag, type Input, option, repeated, span } from '../../cli/params.ts';
import type { WebhookEvent } from '../../webhooks/event/event.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { Forwarded } from '../../webhooks/log/records.ts';

export const selectionParams = {
  since: option('--since <span>', 'only those of the last 10m, 2h or 1d; a bare number is seconds', span),
  events: option('--events <names>', 'only these events, comma-separated; message means its family'),
  where: repeated('--where <path=value>', 'only events whose body has this value there, such as data.to=+12025550101'),
  failed: flag('--failed', 'only events that were forwarded and, the last time, not answered 2xx'),
} as const;

/** The same for sending again: what was never forwarded has not been answered either. */
export const replayParams = {
  ...selectionParams,
  failed: flag('--failed', 'only events that were not answered 2xx the last time, or never forwarded'),
} as const;

export interface Selection extends Omit<Input<typeof selectionParams>, 'failed'> {
  /** With `or never forwarded`, those count as failed too. */
  readonly failed: boolean | 'or never forwarded';
}

export interface Selected {
  readonly past: Past;
  readonly event: WebhookEvent;
}

interface Places {
  readonly stateFolder: string;
  readonly now: number;
  readonly onDamage: OnDamage;
}

/** The events that are asked for, from the newest on. */
export async function select(
  { stateFolder, now, onDamage }: Places,
  { since, events, where, failed }: Selection,
): Promise<Iterable<Selected>> {
  const [{ newestFirst }, { eventOf }, { byField, byName, passing }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/event/event.ts'),
    import('../../webhooks/event/filters.ts'),
  ]);
  const passes = passing([...(events === undefined ? [] : [byName(events)]), ...where.map(byField)]);
  const from = since === undefined ? -Infinity : now - since;
  function* selected(): Generator<Selected> {
    for (const past of newestFirst(stateFolder, onDamage)) {
      if (past.event.received_at < from) return;
      if (failed !== false && !hasFailed(past, failed === 'or never forwarded')) continue;
      const event = eventOf(past.event);
      if (passes(event)) yield { past, event };
    }
  }
  return selected();
}

/** Answered 2xx, and to the end. */
export function wentWell({ status, error }: Pick<Forwarded, 'status' | 'error'>): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300;
}

function hasFailed({ forwards: [last] }: Past, isUnsentFailed: boolean): boolean {
  return last === undefined ? isUnsentFailed : !wentWell(last);
}

/** What is damaged in the journals of listeners keeps nobody from seeing the rest. */
export async function sayingDamage({ note }: Pick<Context, 'note'>): Promise<OnDamage> {
  const { warnOncePerFile } = await import('../../base/journal-lines.ts');
  return warnOncePerFile((text) => note('journal-damaged', text));
}
