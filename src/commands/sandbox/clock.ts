import { usage } from '../../base/errors.ts';
import { command, type Context, type Ui } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { shortTime, took } from '../../cli/output/figures.ts';
import { argument, choice, span } from '../../cli/params.ts';
import { landmarks } from '../../sandbox/time/clock.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { ask } from './control.ts';

type Now = OutputOf<'clock'>;
type Fired = OutputOf<'advanceClock'>['fired'][number];

export const clockNow = clockCommand({
  name: 'now',
  summary: 'Show the time of the sandbox',
  sample: '2026-05-01T12:00:00.000Z, real time',
  run: (context) => ask(context, 'clock'),
});

export const clockFreeze = clockCommand({
  name: 'freeze',
  summary: 'Freeze the sandbox clock; only advance moves it then',
  sample: '2026-05-01T12:00:00.000Z, frozen',
  run: (context) => ask(context, 'freezeClock'),
});

export const clockReal = clockCommand({
  name: 'real',
  summary: 'Set the sandbox clock back to real time',
  details: [
    'If the clock was ahead, it moves back. Scheduled receipts and retries keep their time;',
    'a note reports how many there are.',
  ].join('\n'),
  sample: '2026-05-01T12:00:00.000Z, real time',
  run: async (context) => {
    const { later, from, ...now } = await ask(context, 'resumeClock');
    const what = later === 1 ? '1 receipt or delivery is' : `${later} receipts and deliveries are`;
    if (later > 0) context.note('due-later', `${what} not due until ${from}; advance the clock, or reset`);
    return now;
  },
});

export const clockAdvance = command({
  name: 'advance',
  summary: 'Advance the sandbox clock and run everything that becomes due',
  details: [
    'Everything due in that period happens in order, each at its own time, and deliveries complete before the',
    "command returns. Receipts, retries and the plan's limits follow this clock; the timestamp of a signature",
    'is always real time. The rate limit counts from the first request: after 60s it starts again.',
  ].join('\n'),
  params: {
    by: argument('[duration]', 'how far: 5s, 10m, 2h or 31d', span),
    to: choice(
      '--to <when>',
      'advance to the next receipt or delivery, or to the start of the next period, in UTC',
      landmarks,
    ),
  },
  examples: ['sandbox clock advance 5s', 'sandbox clock advance --to next-month'],
  sample:
    '2026-05-01T12:00:05.000Z  message.delivered  evt_5c1f2a9e…  msg_…\n…\n2026-05-01T12:00:05.000Z, 5 s ahead of real time',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { by, to }) => {
    const distance = by ?? to;
    if (distance === undefined) throw usage('specify how far to advance', 'for example 5s, or --to next-month');
    if (by !== undefined && to !== undefined) throw usage('a duration and --to exclude each other');
    return ask(context, 'advanceClock', { by: distance });
  },
  view: (time, ui) => [...time.fired.map((one) => firedText(one, ui)), timeText(time)].join('\n'),
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
    accepts: printOptions,
    piped: 'text',
    view: timeText,
  });
}

function timeText({ now, frozen, ahead }: Now): string {
  if (frozen) return `${now}, frozen`;
  const seconds = Math.round(ahead / 1_000);
  if (seconds === 0) return `${now}, real time`;
  return `${now}, ${took(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} real time`;
}

function firedText({ at, what, id, about, answer }: Fired, ui: Ui): string {
  const time = ui.terminal ? shortTime(at, ui.now()) : at;
  const parts = [time, what, id, about, answer === undefined ? undefined : `→ ${answer}`];
  return ui.line(parts.filter((part) => part !== undefined));
}
