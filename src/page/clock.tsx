import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { InputOf, OutputOf } from '../sandbox/control/operations.ts';
import { ask, useAsked } from './ask.ts';
import { link, state } from './connection.ts';
import { act } from './notice.tsx';
import { timeText } from './words.ts';

const known = signal<OutputOf<'clock'> | undefined>(undefined);
/** Real time, kept by `Clock`. */
const wall = signal(Date.now());

/** The sandbox's clock, with its time in milliseconds. */
export function useClock() {
  const clock = known.value;
  return clock && { ...clock, now: clock.frozen ? Date.parse(clock.now) : wall.value + clock.ahead };
}

/** The sandbox's clock, and the buttons that move it. */
export function Clock() {
  const asked = useAsked('clock', 'clock');
  useLayoutEffect(() => {
    const tick = () => (wall.value = Date.now());
    known.value = asked;
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [asked]);
  const clock = useClock();
  if (!clock) return <section class="clock" aria-label="Clock" />;
  const { due } = state.value;
  const isOff = link.value !== 'open';
  const advance = (by: InputOf<'advanceClock'>['by']) => void act(() => ask('advanceClock', { by }));
  return (
    <section class="clock" aria-label="Clock">
      <span class={`now ${clock.frozen ? 'frozen' : ''}`}>
        <time title="UTC">{timeText(clock.now)}</time>{' '}
        <span class="roomy">
          <span class="wide">UTC, </span>
          {clock.frozen ? 'frozen' : clock.ahead > 1_000 ? 'ahead' : 'real time'}
        </span>
      </span>
      <span class="due">
        {due !== null && <span class="roomy">next </span>}
        {due === null ? 'nothing due' : `due ${timeText(due)}`}
      </span>
      <span class="joined">
        <button
          type="button"
          disabled={isOff}
          onClick={() => void act(() => ask(clock.frozen ? 'resumeClock' : 'freezeClock'))}
        >
          {clock.frozen ? 'Real time' : 'Freeze'}
        </button>
        <button type="button" disabled={isOff} onClick={() => advance(5_000)}>
          +5 s
        </button>
        <button type="button" disabled={isOff} onClick={() => advance(60_000)}>
          +1 min
        </button>
        <button type="button" disabled={isOff || due === null} onClick={() => advance('next-due')}>
          <span class="roomy">To </span>next due
        </button>
      </span>
    </section>
  );
}
