import type { Context, Emit, Ui } from '../../cli/command.ts';
import type { Happened } from '../../webhooks/watch/watch.ts';
import { seconds, seen, type Seen, told } from './seen.ts';

/** What becomes of a message: lines on a terminal, notes elsewhere. */
export interface Timeline {
  readonly events: readonly Seen[];
  sent(id: string): Promise<void>;
  add(event: Happened): Promise<void>;
}

export function createTimeline(context: Context, emit: Emit, since: number): Timeline {
  const events: Seen[] = [];
  return {
    events,
    async sent(id) {
      if (context.showsLines) await emit({ message_id: id }, (ui) => `${ui.done('Sent')} ${ui.outside(id)}`);
    },
    async add(event) {
      const one = seen(event, since);
      events.push(one);
      if (context.showsLines) await emit(one, (ui) => line(one, ui));
      else context.note('event', told(one));
    },
  };
}

function line({ event, after_ms: after, reason }: Seen, ui: Ui): string {
  const name = event === 'message.failed' ? ui.color.red(event) : ui.outside(event ?? 'an event without a name');
  const why = reason === null ? '' : `  ${ui.outside(reason)}`;
  return `  ${`+${seconds(after)}`.padStart(10)}  ${name}${why}`;
}
