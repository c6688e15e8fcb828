import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, type Row } from '../../cli/output/rows.ts';
import { argument, choice, span } from '../../cli/params.ts';

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

function timeText({ now, frozen, ahead }: Now): string {
  if (frozen) return `${now}, frozen`;
  const seconds = Math.round(ahead / 1_000);
  if (seconds === 0) return `${now}, as on this machine`;
  return `${now}, ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
}

export const clockAdvance = command({
  name: 'advance',
  summary: 'Move the clock of the sandbox ahead, and have happen what falls due',
  details: [
    'What falls due on the way happens in order, each at its own time, and every delivery is awaited.',
    "Receipts, retries, the plan's minute and its month follow this clock; the timestamp of a signature is",
    "always this machine's time. The plan's minute begins with its first request: 60s is past its end.",
  ].join('\n'),
  params: {
    by: argument('[span]', 'how far: 5s, 10m, 2h or 31d', span),
    to: choice('--to <when>', 'to where the next one begins, in UTC', [
      'next-minute',
      'next-hour',
      'next-day',
      'next-month',
    ]),
  },
  examples: ['sandbox clock advance 5s', 'sandbox clock advance --to next-month'],
  sample:
    '12:00:05.000  message.delivered  evt_5c1f2a9e…  msg_sandbox_5c1f2a9e…\n…\n2026-05-01T12:00:05.000Z, 5 s ahead of this machine',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { by, to }) => {
    const span = by ?? to;
    if (span === undefined) throw usage('how far is missing', 'give a span such as 5s, or --to next-month');
    if (by !== undefined && to !== undefined) throw usage('a span and --to exclude each other');
    return (await context.sandbox()).advance(span);
  },
  view: (time) => [...time.fired.map(fired), timeText(time)].join('\n'),
});

function fired({ at, what, id, about, answer }: Row): string {
  const parts = [cell(at).slice(11, 23), what, id, about, answer === undefined ? undefined : `→ ${cell(answer)}`];
  return parts
    .filter((part) => part !== undefined)
    .map(cell)
    .join('  ');
}
