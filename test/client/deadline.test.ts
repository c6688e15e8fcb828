import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createDeadlines } from '../../src/client/deadline.ts';

const steady = () => performance.now();

it('listens to the user once for any number of requests, and not at all when none is left', () => {
  const user = new AbortController();
  const open = createDeadlines(user.signal, steady);
  const deadlines = Array.from({ length: 50 }, () => open(1_000));
  expect(getEventListeners(user.signal, 'abort')).toHaveLength(1);
  for (const deadline of deadlines) deadline.release();
  expect(getEventListeners(user.signal, 'abort')).toHaveLength(0);
});

it('ends each that is open when the user does, and none that is over', () => {
  const user = new AbortController();
  const open = createDeadlines(user.signal, steady);
  const told: string[] = [];
  const listening = (name: string) => {
    const deadline = open(1_000);
    deadline.addEventListener('abort', () => told.push(name));
    return deadline;
  };
  const [, over] = [listening('open'), listening('over')];
  over.release();
  user.abort();
  expect(told).toEqual(['open']);
  expect(over.aborted).toBe(false);
});

it('is over from the start when the user has ended before', () => {
  expect(createDeadlines(AbortSignal.abort(), steady)(1_000).aborted).toBe(true);
});

it('ends them in the order in which their time is up', async () => {
  const open = createDeadlines(new AbortController().signal, steady);
  const told: number[] = [];
  const ends = [60, 20, 40].map(
    (time) =>
      new Promise<void>((resolve) => {
        open(time).addEventListener('abort', () => resolve(void told.push(time)));
      }),
  );
  // What ends them keeps no process alive.
  const alive = setTimeout(() => {}, 5_000);
  await Promise.all(ends);
  clearTimeout(alive);
  expect(told).toEqual([20, 40, 60]);
});
