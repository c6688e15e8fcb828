import { CliError } from '../../base/errors.ts';
import type { Goal, Meaning } from '../../webhooks/event/filters.ts';
import { type Seen, told } from './seen.ts';

/** How a wait for what becomes of a message came to its end. */
export interface Ending {
  readonly id: string;
  readonly goal: Goal;
  readonly within: number;
  readonly from: 'sandbox' | 'listener';
  readonly events: readonly Seen[];
  /** An error where those who told of the events are gone. */
  readonly by: Meaning | 'interrupted' | 'late' | CliError;
}

export type State = 'delivered' | 'read' | 'failed' | 'timed-out' | 'interrupted' | 'unknown';

export function stateOf({ by, events }: Ending): State {
  if (by === 'late') return 'timed-out';
  if (by === 'interrupted') return 'interrupted';
  if (by === 'opposite') return 'failed';
  if (by !== 'came') return 'unknown';
  return events.at(-1)?.event === 'message.read' ? 'read' : 'delivered';
}

/** Whatever went wrong, the message was sent. */
export function faultOf(ending: Ending): CliError | undefined {
  const { id, by, events } = ending;
  if (by === 'came') return undefined;
  if (by === 'late') return late(ending);
  if (by === 'interrupted') return new CliError('interrupted', 'interrupted', `interrupted; ${id} was sent`);
  if (by === 'opposite') {
    const why = events.at(-1)?.reason ?? 'no reason is given';
    return new CliError('opposite', 'message-failed', `${id} was sent and came to message.failed: ${why}`);
  }
  return new CliError('unsure', by.code, `${id} was sent, but ${by.message}`, { cause: by });
}

function late({ id, goal, within, from, events }: Ending): CliError {
  const none = from === 'listener' ? 'does the service send its events to the listener?' : 'none of its events came';
  const hint = events.length === 0 ? none : `what came: ${events.map(told).join(', ')}`;
  const message = `${id} was sent, but no message.${goal} came within ${within / 1000} s`;
  return new CliError('unsure', 'not-in-time', message, { hint });
}
