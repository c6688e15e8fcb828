import { describe, expect, it } from 'vitest';
import { openMachine, people, person, rows } from './matrix-rig.ts';

const all = people(1, rows);
const ago = (days: number) => ({ now: () => Date.now() - days * 86_400_000 });

describe('with a live key, after the clock was 40 days behind', () => {
  it.concurrent('a batch that was sent then is refused, each time', async () => {
    await using machine = await openMachine('live');
    machine.service.date = undefined;
    const file = machine.write(all);
    expect(await machine.batch(file, [], ago(40))).toMatchObject({ code: 0 });
    for (const _ of [1, 2]) expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('a batch that was interrupted then is not sent twice', async () => {
    await using machine = await openMachine('live');
    machine.service.date = undefined;
    const file = machine.write(all);
    await machine.batch(file, ['--concurrency', '2'], { ...ago(40), interruptAfter: 4 });
    for (const _ of [1, 2]) expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
    expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: rows });
  });

  it.concurrent('a single message that was sent then stops a batch', async () => {
    await using machine = await openMachine('live');
    machine.service.date = undefined;
    await machine.single(person(1), [], ago(40));
    expect(await machine.batch(machine.write(all))).toMatchObject({ code: 11, error: 'sent-before' });
  });
});

describe('a live batch compares the clock with that of the service', () => {
  const hours = (count: number) => () => Date.now() + count * 3_600_000;

  it.concurrent('and corrects the recorded times by more than an hour, with a note', async () => {
    await using machine = await openMachine('live');
    machine.service.date = hours(0);
    const file = machine.write(all);
    const first = await machine.batch(file, [], { now: hours(-23) });
    expect(first).toMatchObject({ code: 0, notes: ['live', 'clock'] });
    const { stdout } = await machine.run(['runs', 'list', '-o', 'json']);
    expect(Date.now() - Date.parse(JSON.parse(stdout)[0].started_at)).toBeLessThan(60_000);
  });

  it.concurrent.each([-25, 25, 40 * 24])('and refuses to send if it is %i hours off', async (count) => {
    await using machine = await openMachine('live');
    machine.service.date = hours(0);
    const refused = await machine.batch(machine.write(all), [], { now: hours(count) });
    expect(refused).toMatchObject({ code: 3, error: 'clock-wrong' });
    expect(machine.service.sent).toEqual([]);
  });

  it.concurrent('by the answer to the first message, if the list of templates has no time', async () => {
    await using machine = await openMachine('live');
    machine.service.date = undefined;
    machine.service.treat = () => {
      machine.service.date = hours(0);
      return 'sent';
    };
    const stopped = await machine.batch(machine.write(all), [], { now: hours(-30) });
    expect(stopped).toMatchObject({ code: 3, error: 'clock-wrong', summary: { sent: 1, not_reached: rows - 1 } });
  });

  it.concurrent('so that a message of last month passes, without which it asks', async () => {
    await using machine = await openMachine('live');
    machine.service.date = hours(0);
    const file = machine.write(all);
    await machine.batch(file);
    machine.service.date = undefined;
    const later = { now: hours(28 * 24) };
    expect(await machine.batch(file, [], later)).toMatchObject({ code: 11, error: 'sent-before' });
    machine.service.date = later.now;
    expect(await machine.batch(file, [], later)).toMatchObject({ code: 0, summary: { sent: rows } });
  });

  it.concurrent('but not an import, or with a sandbox key', async () => {
    for (const mode of ['live', 'sandbox'] as const) {
      await using machine = await openMachine(mode);
      machine.service.date = hours(0);
      const file = machine.write(all);
      const early = { now: hours(-48) };
      const ran = mode === 'live' ? await machine.load(file, [], early) : await machine.batch(file, [], early);
      expect(ran.code).toBe(0);
    }
  });
});

it.concurrent('a job that ran under a clock that was 500 days behind skips what it sent', async () => {
  await using machine = await openMachine('live');
  machine.service.date = undefined;
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
