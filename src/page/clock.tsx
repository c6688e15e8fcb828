import { computed, signal } from '@preact/signals';
import { ask, asked } from './ask.ts';
import { state } from './connection.ts';
import { Popover } from './dialog.tsx';
import { problems } from './known.ts';
import { act } from './notice.tsx';
import { timeText, waitText } from './words.ts';

const setting = asked(['clock'], 'clock');
const wall = signal(Date.now());

export function followWall(): void {
  setInterval(() => (wall.value = Date.now()), 1_000);
}

const isFrozen = computed(() => setting.value?.frozen === true);

/** The time of the sandbox in milliseconds. */
export const now = computed(() => {
  if (!setting.value) return wall.value;
  return setting.value.frozen ? Date.parse(setting.value.now) : wall.value + setting.value.ahead;
});

const advance = (by: number | 'next') => void act(() => ask('advanceClock', { by }));
const toggle = () => void act(() => ask(isFrozen.value ? 'resumeClock' : 'freezeClock'));

/** The sandbox's clock, and what moves it. */
export function Clock() {
  if (!setting.value) return null;
  const { due } = state.value;
  const how = isFrozen.value ? 'frozen' : setting.value.ahead > 1_000 ? 'ahead' : '';
  const chip = (
    <>
      <i /> <span class="unseen">Clock {how}</span> <time>{timeText(now.value)}</time> <span>UTC</span>
    </>
  );
  return (
    <Popover title="Clock" class={`quiet clock ${how && 'is-wait'}`} button={chip}>
      <div class="menu">
        <button onClick={toggle}>{isFrozen.value ? 'Real time' : 'Freeze'}</button>
        <button onClick={() => advance(5_000)}>+5 s</button>
        <button onClick={() => advance(60_000)}>+1 min</button>
        <button disabled={due === null} onClick={() => advance('next')}>
          To next due <small>{due === null ? 'nothing' : dueText(due)}</small>
        </button>
      </div>
    </Popover>
  );
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
    <section class="frozen line" aria-label="Frozen clock">
      <strong>Frozen at {timeText(now.value)}</strong>
      <span class="one-line">{due === null ? 'Nothing is due' : `Next: ${dueText(due)}`}</span>
      <button disabled={due === null} onClick={() => advance('next')}>
        Advance
      </button>
      <button onClick={toggle}>Real time</button>
    </section>
  );
}
