import type { Earlier } from '../activity/twice.ts';
import type { CliError } from '../errors.ts';
import { unsafe } from '../errors.ts';
import { safeLine } from '../terminal/safe-text.ts';

/** How a message that was sent before reads: to whoever is asked, */
export function question(earlier: Earlier, now: number): string {
  if (earlier.state === 'under way') return `Process ${earlier.pid} is sending this right now. Send it too?`;
  return `You sent this ${ago(earlier, now)}${idOf(earlier)}. Send it again?`;
}

/** to whoever is told, */
export function again(earlier: Earlier, now: number): string {
  if (earlier.state === 'under way') return `process ${earlier.pid} is sending the very same right now`;
  return `the very same was sent ${ago(earlier, now)}${idOf(earlier)}`;
}

/** and to whoever may not. */
export function refusal(earlier: Earlier, now: number): CliError {
  return unsafe(
    'sent-unsure',
    `the very same may have been sent ${ago(earlier, now)}; nothing was sent now`,
    'find out whether it arrived: bizmsg activity shows what was sent from here; --allow-unsure sends it again',
  );
}

function idOf({ message_id: id }: Earlier): string {
  return id === undefined ? '' : ` (message_id ${safeLine(id)})`;
}

function ago({ at, since }: Earlier, now: number): string {
  if (at === undefined) return 'at a time that can no longer be read';
  if (at > since) return 'before the clock was set back';
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}
