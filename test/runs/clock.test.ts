import { describe, expect, it } from 'vitest';
import { openMachine, people, person, rows } from './matrix-rig.ts';

const all = people(1, rows);
const ago = (days: number) => ({ now: () => Date.now() - days * 86_400_000 });

describe('with a live key, after the clock was 40 days behind', () => {
  it.concurrent('a batch that was sent then is refused, each time', async () => {
    await using machine = await openMachine('live');
    const file = machine.write(all);
    expect(await machine.batch(file, [], ago(40))).toMatchObject({ code: 0 });
    for (const _ of [1, 2]) expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('a batch that was interrupted then is not sent twice', async () => {
    await using machine = await openMachine('live');
    const file = machine.write(all);
    await machine.batch(file, ['--concurrency', '2'], { ...ago(40), interruptAfter: 4 });
    for (const _ of [1, 2]) expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
    expect(await machine.batch(file, ['--new-only'])).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('a single message that was sent then stops a batch', async () => {
    await using machine = await openMachine('live');
    await machine.single(person(1), [], ago(40));
    expect(await machine.batch(machine.write(all))).toMatchObject({ code: 11, error: 'sent-before' });
  });
});

it.concurrent('a job that ran under a clock that was 500 days behind skips what it sent', async () => {
  await using machine = await openMachine('live');
  const file = machine.write(all);
  await machine.batch(file, ['--job', 'welcome'], ago(500));
  expect(await machine.batch(file, ['--job', 'welcome'])).toMatchObject({ code: 0, summary: { sent: 0 } });
  expect(machine.reach(all)).toEqual({ 1: rows });
});

describe('under a clock before the day of the build', () => {
  const early = { now: () => Date.UTC(2023, 11, 31) };
  const refusal = { code: 3, error: 'clock-behind', text: expect.stringContaining('it says 2023-12-31') };

  it.concurrent('a live batch is refused', async () => {
    await using machine = await openMachine('live');
    expect(await machine.batch(machine.write(all), [], early)).toMatchObject(refusal);
    expect(machine.service.sent).toEqual([]);
  });

  it.concurrent('a live message is refused', async () => {
    await using machine = await openMachine('live');
    expect(await machine.single(person(1), [], early)).toMatchObject(refusal);
    expect(machine.service.sent).toEqual([]);
  });

  it.concurrent('an import with a live key is not refused', async () => {
    await using machine = await openMachine('live');
    expect(await machine.load(machine.write(all), [], early)).toMatchObject({ code: 0 });
  });

  it.concurrent('messages with a sandbox key are not refused', async () => {
    await using machine = await openMachine('sandbox');
    expect(await machine.batch(machine.write(all), [], early)).toMatchObject({ code: 0 });
    expect(await machine.single(person(1), [], early)).toMatchObject({ code: 0 });
  });
});
