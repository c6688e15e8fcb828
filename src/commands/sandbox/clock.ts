import { usage } from '../../base/errors.ts';
import { suggest } from '../../base/suggest.ts';
import { command, type Ui } from '../../cli/command.ts';
import { shortTime, took } from '../../cli/output/figures.ts';
import { argument, knowing, span } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { type Landmark, landmarks } from '../../sandbox/time/clock.ts';
import { ask } from './control.ts';

type Now = OutputOf<'clock'>;
type Fired = OutputOf<'advanceClock'>['fired'];

const words = ['freeze', 'real', ...landmarks];

export const sandboxClock = command({
  name: 'clock',
  summary: 'Show the sandbox clock, freeze it, or advance it',
  details: `+5s, +10m or +31d advances it; next advances it to the next receipt or delivery, and next-minute,
    next-hour, next-day and next-month to the start of a period in UTC. Everything due until then happens in order,
    and deliveries complete before the command returns. Receipts, retries and limits follow this clock; the timestamp
    of a signature is always real time. real sets it back: what is scheduled keeps its time.`,
  params: { change: knowing(words, argument('[change]', `${words.join(', ')}, or a span such as +5s`)) },
  examples: ['sandbox clock +5s', 'sandbox clock', 'sandbox clock freeze', 'sandbox clock next-month'],
  changes: true,
  run: async (context, { change }): Promise<Now & { readonly fired?: Fired }> => {
    if (change === undefined) return ask(context, 'clock');
    if (change === 'freeze') return ask(context, 'freezeClock');
    if (change === 'real') return ask(context, 'resumeClock');
    return ask(context, 'advanceClock', { by: distance(change) });
  },
  view: ({ fired = [], ...time }, ui) => [...fired.map((event) => firedText(event, ui)), timeText(time)].join('\n'),
});

function distance(text: string): number | Landmark {
  const landmark = landmarks.find((word) => word === text);
  if (landmark) return landmark;
  if (text.startsWith('+')) return span(text.slice(1));
  const near = suggest(text, words);
  throw usage(`"${text}" does not set a clock`, near ? `did you mean ${near}?` : `use +5s, ${words.join(', ')}`);
}

function timeText({ now, frozen, ahead }: Now): string {
  if (frozen) return `${now}, frozen`;
  const seconds = Math.round(ahead / 1_000);
  if (seconds === 0) return `${now}, real time`;
  return `${now}, ${took(Math.abs(seconds))} ${seconds > 0 ? 'ahead of' : 'behind'} real time`;
}

function firedText({ at, what, id, about, answer }: Fired[number], ui: Ui): string {
  const time = ui.terminal ? shortTime(at, ui.now()) : at;
  const parts = [time, what, id, about, answer === undefined ? undefined : `→ ${answer}`];
  return ui.line(parts.filter((part) => part !== undefined));
}
