import { describe, expect, it } from 'vitest';
import type { EndSignal } from '../../src/base/host.ts';
import { stoppingText, untilSignaled } from '../../src/batches/stop.ts';
import { movedClock } from '../support/timers.ts';

/** A process that gets signals. */
function createProcess() {
  const ending = new AbortController();
  const clock = movedClock();
  const notes: string[] = [];
  const killed: string[] = [];
  let listener: ((name: EndSignal) => void) | undefined;
  let onUnread = () => {};
  const signals = untilSignaled({
    note: (_, message) => notes.push(message),
    host: {
      signal: ending.signal,
      steady: clock.now,
      pid: 77,
      kill: (pid, name) => killed.push(`${pid} ${name}`) > 0,
      handleSignals(next, unread = () => {}) {
        [listener, onUnread] = [next, unread];
        return () => (listener = undefined);
      },
    },
  });
  signals.take();
  const press = (name: EndSignal = 'SIGINT') => (listener ? listener(name) : ending.abort(name));
  return { signals, clock, notes, killed, press, unread: () => onUnread() };
}

describe('signals', () => {
  it('stop the work, then the waiting for answers, then the process', () => {
    const { signals, press, clock, killed } = createProcess();
    press();
    expect([signals.stop.aborted, signals.leave.aborted]).toEqual([true, false]);
    clock.advance(501);
    press();
    expect([signals.leave.aborted, killed]).toEqual([true, []]);
    clock.advance(501);
    press('SIGTERM');
    expect(killed).toEqual(['77 SIGTERM']);
  });

  it('count once for one key press, which the terminal and npx both pass on', () => {
    const { signals, press, clock } = createProcess();
    clock.advance(1_000);
    press();
    clock.advance(400);
    press();
    expect(signals.leave.aborted).toBe(false);
  });

  it('end the process again after the work', () => {
    const { signals, press } = createProcess();
    signals.release();
    press();
    expect([signals.stop.aborted, signals.leave.aborted]).toEqual([false, false]);
  });
});

it('a closed stdout is noted once, and does not stop the work', () => {
  const { signals, unread, notes } = createProcess();
  unread();
  unread();
  expect([notes, signals.stop.aborted]).toEqual([
    ['stdout was closed; the batch goes on: see bizmsg batches show'],
    false,
  ]);
});

it.each([
  [0, 'stopping'],
  [1, 'stopping; waiting for 1 answer … (again: now, and they become unsure)'],
  [4, 'stopping; waiting for 4 answers … (again: now, and they become unsure)'],
])('while %i requests are in flight, Ctrl-C prints what a second one does', (inFlight, text) => {
  expect(stoppingText(inFlight)).toBe(text);
});
