import { command } from '../../../cli/command.ts';
import { printing } from '../../../cli/globals.ts';
import { argument, choice } from '../../../cli/params.ts';
import { span } from '../../../cli/values.ts';
import { usage } from '../../../base/errors.ts';
import { cell, type Row } from '../../../cli/output/rows.ts';
import { timeText } from './now.ts';

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
