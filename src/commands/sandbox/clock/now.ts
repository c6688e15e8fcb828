import { command, type Context } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';

interface Now {
  readonly now: string;
  readonly frozen: boolean;
  readonly ahead: number;
}

export const clockNow = clockCommand({
  name: 'now',
  summary: 'Show the time of the sandbox',
  sample: '2026-05-01T12:00:00.000Z, as on this machine',
  run: async (context) => (await context.sandbox()).clock(),
});

export const clockFreeze = clockCommand({
  name: 'freeze',
  summary: 'Stop the clock of the sandbox, so that only advance moves it',
  sample: '2026-05-01T12:00:00.000Z, frozen',
  run: async (context) => (await context.sandbox()).freeze(),
});

export const clockReal = clockCommand({
  name: 'real',
  summary: "Set the clock of the sandbox to this machine's again",
  details: [
    'When it was ahead, it goes back: receipts and retries that it scheduled stay due at the time they had,',
    'and a note tells how many they are.',
  ].join('\n'),
  sample: '2026-05-01T12:00:00.000Z, as on this machine',
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
  if (seconds === 0) return `${now}, as on this machine`;
  return `${now}, ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
}
