import type { Context } from '../../../cli/command.ts';
import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';

interface Now {
  readonly now: string;
  readonly frozen: boolean;
  readonly ahead: number;
}

export const clockNow = clockCommand({
  name: 'now',
  summary: "Show the sandbox's time",
  sample: '2026-05-01T12:00:00.000Z, as on the wall',
  run: async (context) => (await context.sandbox()).clock(),
});

export const clockFreeze = clockCommand({
  name: 'freeze',
  summary: 'Stop the clock of the sandbox; only advance moves it then',
  sample: '2026-05-01T12:00:00.000Z, frozen',
  run: async (context) => (await context.sandbox()).freeze(),
});

export const clockReal = clockCommand({
  name: 'real',
  summary: 'Let the clock of the sandbox go with the wall again',
  details:
    'When it was ahead, it goes back: receipts and retries that were scheduled by it stay due at their own times, and it tells how many.',
  sample: '2026-05-01T12:00:00.000Z, as on the wall',
  run: async (context) => {
    const { later, from, ...now } = await (await context.sandbox()).real();
    if (later > 0)
      context.note('due-later', `${stranded(later)} due only from ${from} on; advance the clock, or reset`);
    return now;
  },
});

interface ClockCommand {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly sample: string;
  run(context: Context): Promise<Now>;
}

function clockCommand(definition: ClockCommand) {
  return command({
    ...definition,
    params: {},
    examples: [`sandbox clock ${definition.name}`],
    honours: [...printing],
    piped: 'text',
    view: timeText,
  });
}

function stranded(count: number): string {
  return count === 1 ? '1 receipt or delivery is' : `${count} receipts and deliveries are`;
}

export function timeText({ now, frozen, ahead }: Now): string {
  if (frozen) return `${now}, frozen`;
  const seconds = Math.round(ahead / 1_000);
  if (seconds === 0) return `${now}, as on the wall`;
  return `${now}, ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the wall`;
}
