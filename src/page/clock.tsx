import { ask } from './ask.ts';
import { Popover } from './dialog.tsx';
import { clock, now, problems } from './model.ts';
import { act } from './notice.tsx';
import { state } from './state.ts';
import { timeText, waitText } from './words.ts';

const advance = (by: number | 'next') => void act(() => ask('advanceClock', { by }));
const toggle = () => void act(() => ask(clock.value?.frozen ? 'resumeClock' : 'freezeClock'));

/** The sandbox's clock, and what moves it. */
export function Clock() {
  if (!clock.value) return null;
  const { frozen, ahead } = clock.value;
  const how = frozen ? 'frozen' : ahead > 1_000 ? 'ahead' : '';
  const chip = (
    <>
      <i /> <span class="unseen">Clock {how}</span> <time>{timeText(now.value)}</time> <span>UTC</span>
    </>
  );
  return (
    <Popover title="Clock" class={`quiet clock ${how && 'is-wait'}`} button={chip}>
      <div class="menu">
        <button onClick={toggle}>{frozen ? 'Real time' : 'Freeze'}</button>
        <button onClick={() => advance(5_000)}>+5 s</button>
        <button onClick={() => advance(60_000)}>+1 min</button>
        <button disabled={state.value.due === null} onClick={() => advance('next')}>
          To next due <small>{dueText()}</small>
        </button>
      </div>
    </Popover>
  );
}

/** Such as `retry of order.paid in 4 m`. */
function dueText(): string {
  const { due } = state.value;
  if (due === null) return 'nothing';
  const retry = problems.value?.deliveries.find(({ next_at: next }) => next !== null && Date.parse(next) === due);
  return `${retry ? `retry of ${retry.type}` : 'receipt or event'} ${waitText(due - now.value)}`;
}

/** Shows that the clock is frozen. */
export function Frozen() {
  if (!clock.value?.frozen) return null;
  return (
    <section class="frozen line" aria-label="Frozen clock">
      <strong>Frozen at {timeText(now.value)}</strong>
      <span class="one-line">Next: {dueText()}</span>
      <button class="quiet" disabled={state.value.due === null} onClick={() => advance('next')}>
        Advance
      </button>
      <button class="quiet" onClick={toggle}>
        Real time
      </button>
    </section>
  );
}
