import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { InputOf } from '../sandbox/control/operations.ts';
import { ask, asked } from './ask.ts';
import { link, state } from './connection.ts';
import { problems } from './known.ts';
import { act } from './notice.tsx';
import { Popover } from './popover.tsx';
import { timeText, waitText } from './words.ts';

const setting = asked(['clock'], 'clock');
/** Real time, kept by `Clock`. */
const wall = signal(Date.now());

const isFrozen = computed(() => setting.value?.frozen === true);

/** The time of the sandbox in milliseconds. */
export const now = computed(() => {
  if (!setting.value) return wall.value;
  return setting.value.frozen ? Date.parse(setting.value.now) : wall.value + setting.value.ahead;
});

const advance = (by: InputOf<'advanceClock'>['by']) => void act(() => ask('advanceClock', { by }));

/** The sandbox's clock, and what moves it. */
export function Clock() {
  useEffect(() => {
    const timer = setInterval(() => (wall.value = Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  if (!setting.value) return null;
  const how = isFrozen.value ? 'frozen' : setting.value.ahead > 1_000 ? 'ahead' : '';
  const tone = how === '' ? '' : 'is-wait';
  const time = timeText(now.value);
  return (
    <Popover
      title="Clock"
      class={`quiet clock ${tone}`}
      button={
        <>
          <i /> <span class="unseen">Clock {how}</span> <time>{time}</time> <span>UTC</span>
        </>
      }
    >
      <ClockMenu />
    </Popover>
  );
}

function ClockMenu() {
  const { due } = state.value;
  const isOff = link.value !== 'open';
  return (
    <div class="menu">
      <button disabled={isOff} onClick={toggle}>
        {isFrozen.value ? 'Real time' : 'Freeze'}
      </button>
      <button disabled={isOff} onClick={() => advance(5_000)}>
        +5 s
      </button>
      <button disabled={isOff} onClick={() => advance(60_000)}>
        +1 min
      </button>
      <button disabled={isOff || due === null} onClick={() => advance('next')}>
        To next due <small>{due === null ? 'nothing' : dueText(due)}</small>
      </button>
    </div>
  );
}

function toggle(): void {
  void act(() => ask(isFrozen.value ? 'resumeClock' : 'freezeClock'));
}

/** Such as `retry of order.paid in 4 m`. */
function dueText(due: number): string {
  const retry = problems.value?.deliveries.find(({ next_at: next }) => next !== null && Date.parse(next) === due);
  return `${retry ? `retry of ${retry.type}` : 'receipt or event'} ${waitText(due - now.value)}`;
}

/** Shows that the clock is frozen. */
export function Frozen() {
  const { due } = state.value;
  if (!isFrozen.value) return null;
  return (
    <section class="frozen" aria-label="Frozen clock">
      <strong>Frozen at {timeText(now.value)}</strong>
      <span class="one-line">{due === null ? 'Nothing is due' : `Next: ${dueText(due)}`}</span>
      <button disabled={due === null} onClick={() => advance('next')}>
        Advance
      </button>
      <button onClick={toggle}>Real time</button>
    </section>
  );
}
