import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createDeadlines } from '../../src/client/deadline.ts';

const steady = () => performance.now();

it('listens to the user signal once for any number of requests, and not after the last', () => {
  const user = new AbortController();
  const open = createDeadlines(user.signal, steady);
  const deadlines = Array.from({ length: 50 }, () => open(1_000));
  expect(getEventListeners(user.signal, 'abort')).toHaveLength(1);
  for (const deadline of deadlines) deadline.release();
  expect(getEventListeners(user.signal, 'abort')).toHaveLength(0);
});

it('aborts all open requests with the user signal, but no finished one', () => {
  const user = new AbortController();
  const open = createDeadlines(user.signal, steady);
  const aborted: string[] = [];
  const listening = (name: string) => {
    const deadline = open(1_000);
    deadline.addEventListener('abort', () => aborted.push(name));
    return deadline;
  };
  const [, over] = [listening('open'), listening('over')];
  over.release();
  user.abort();
  expect(aborted).toEqual(['open']);
  expect(over.aborted).toBe(false);
});

it('is aborted from the start if the user signal already is', () => {
  expect(createDeadlines(AbortSignal.abort(), steady)(1_000).aborted).toBe(true);
});

it('aborts requests in the order of their deadlines', async () => {
  const open = createDeadlines(new AbortController().signal, steady);
  const aborted: number[] = [];
  const ends = [60, 20, 40].map(
    (time) =>
      new Promise<void>((resolve) => {
        open(time).addEventListener('abort', () => resolve(void aborted.push(time)));
      }),
  );
  // Deadlines do not keep the process alive.
  const alive = setTimeout(() => {}, 5_000);
  await Promise.all(ends);
  clearTimeout(alive);
  expect(aborted).toEqual([20, 40, 60]);
});
