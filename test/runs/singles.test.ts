import { describe, expect, it } from 'vitest';
import { modes, openMachine, people, person } from './matrix-rig.ts';

const all = people(1, 12);
const ada = person(3);
const rest = all.filter((row) => row.phone !== ada.phone);

describe('with a live key', () => {
  it.concurrent('a batch is refused after a single message of it, and --skip-sent sends the others', async () => {
    await using machine = await openMachine('live');
    expect(await machine.single(ada)).toMatchObject({ code: 0 });
    const file = machine.write(all);
    const batch = await machine.batch(file);
    expect(batch).toMatchObject({ code: 11, error: 'sent-before' });
    expect(batch.text).toContain('1 found, by send-template');
    expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({
      code: 0,
      summary: { sent: 11, skipped: { earlier_run: 1 } },
    });
    expect(machine.reach(all)).toEqual({ 1: 12 });
  });

  it.concurrent('a single message is refused after a batch that sent it, and --again sends it', async () => {
    await using machine = await openMachine('live');
    await machine.batch(machine.write(all));
    const single = await machine.single(ada);
    expect(single).toMatchObject({ code: 11, error: 'sent-before' });
    expect(single.text).toContain('--again');
    expect(machine.reach(all)).toEqual({ 1: 12 });
    expect(await machine.single(ada, ['--again'])).toMatchObject({ code: 0 });
    expect(machine.reach([ada])).toEqual({ 2: 1 });
  });

  it.concurrent('a single message is sent 20 hours after a batch that sent it', async () => {
    await using machine = await openMachine('live');
    await machine.batch(machine.write(all));
    expect(await machine.single(ada, [], { now: () => Date.now() + 19 * 3_600_000 })).toMatchObject({ code: 11 });
    const now = () => Date.now() + 20 * 3_600_000;
    expect(await machine.single(ada, [], { now })).toMatchObject({ code: 0 });
    expect(await machine.single(ada, [], { now })).toMatchObject({ code: 11 });
    expect(machine.reach([ada])).toEqual({ 2: 1 });
  });

  it.concurrent('a single message is refused after the same one', async () => {
    await using machine = await openMachine('live');
    const codes = [];
    for (const words of [[], [], ['--again'], []]) codes.push((await machine.single(ada, words)).code);
    expect([codes, machine.reach([ada])]).toEqual([[0, 11, 0, 11], { 2: 1 }]);
  });

  it.concurrent(
    'a single message is sent immediately, even if an interrupted batch contains it, and the batch then skips it',
    async () => {
      await using machine = await openMachine('live');
      const file = machine.write(all);
      await machine.batch(file, ['--concurrency', '1'], { interruptAfter: 2 });
      const last = person(12);
      expect(await machine.single(last)).toMatchObject({ code: 0 });
      expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
      const summary = { continues: true, sent: 9, skipped: { this_run: 2, earlier_run: 1 } };
      expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({ code: 0, summary });
      expect(machine.reach(all)).toEqual({ 1: 12 });
    },
  );

  it.concurrent('a batch skips a row that a single message claims while the batch runs', async () => {
    await using machine = await openMachine('live');
    const last = person(12);
    let single: ReturnType<typeof machine.single> | undefined;
    machine.service.after(1, () => {
      machine.service.holdUntil(2);
      single = machine.single(last);
    });
    const batch = await machine.batch(machine.write(all), ['--concurrency', '1'], { isOneOfSeveral: true });
    expect(await single).toMatchObject({ code: 0 });
    expect(batch).toMatchObject({ code: 0, summary: { sent: 11, skipped: { elsewhere: 1 } } });
    expect(machine.reach(all)).toEqual({ 1: 12 });
  });

  it.concurrent('a row that a single message may have sent during the batch is held back as unsure', async () => {
    await using machine = await openMachine('live');
    const { service } = machine;
    const last = person(12);
    service.treat = ({ to }) => (to === last.phone ? 'fault' : 'sent');
    let single: ReturnType<typeof machine.single> | undefined;
    service.after(1, () => {
      service.holdUntil(2);
      single = machine.single(last);
    });
    const options = { isOneOfSeveral: true };
    const batch = await machine.batch(machine.write(all), ['--concurrency', '1'], options);
    expect(await single).toMatchObject({ code: 13 });
    expect(batch).toMatchObject({ code: 10, summary: { sent: 11, skipped: { elsewhere: 0, unsure: 1 } } });
    expect(machine.reach(all)).toEqual({ 1: 12 });
  });

  describe('a message that may have been sent', () => {
    it.concurrent('by send-template stops a batch, until --retry-unsure sends it', async () => {
      await using machine = await openMachine('live');
      machine.service.treat = () => 'lost';
      expect(await machine.single(ada)).toMatchObject({ code: 13 });
      machine.service.treat = () => 'sent';
      const file = machine.write(all);
      expect(await machine.batch(file)).toMatchObject({ code: 11, error: 'sent-before' });
      expect(machine.reach(all)).toEqual({ 0: 11, 1: 1 });
      expect(await machine.batch(file, ['--retry-unsure'])).toMatchObject({ code: 0, summary: { sent: 12 } });
      expect(machine.reach(rest)).toEqual({ 1: 11 });
      expect(await machine.single(ada)).toMatchObject({ code: 11, error: 'sent-before' });
    });

    it.concurrent('by send-template needs --retry-unsure, even a day later', async () => {
      await using machine = await openMachine('live');
      machine.service.treat = () => 'lost';
      await machine.single(ada);
      machine.service.treat = () => 'sent';
      const later = { now: () => Date.now() + 86_400_000 };
      for (const words of [[], ['--again'], ['--yes']])
        expect(await machine.single(ada, words, later)).toMatchObject({ code: 11, error: 'sent-unsure' });
      expect(await machine.single(ada, ['--retry-unsure'], later)).toMatchObject({ code: 0 });
      expect(machine.reach([ada])).toEqual({ 2: 1 });
    });

    it.concurrent('by a batch stops send-template, until --retry-unsure sends it', async () => {
      await using machine = await openMachine('live');
      machine.service.treat = ({ to }) => (to === ada.phone ? 'fault' : 'sent');
      const file = machine.write(all);
      const first = await machine.batch(file);
      expect(first).toMatchObject({ code: 10, summary: { sent: 11, unsure: 1 } });
      machine.service.treat = () => 'sent';
      expect(await machine.single(ada)).toMatchObject({ code: 11, error: 'sent-unsure' });
      expect(await machine.single(ada, ['--retry-unsure'])).toMatchObject({ code: 0 });
      expect(await machine.batch(file, ['--skip-sent'])).toMatchObject({ code: 0, summary: { sent: 0 } });
      expect(machine.reach(rest)).toEqual({ 1: 11 });
    });
  });

  it.concurrent('a single message that was rejected can be sent by a batch, and vice versa', async () => {
    await using machine = await openMachine('live');
    machine.service.treat = () => 'rejected';
    expect(await machine.single(ada)).toMatchObject({ code: 6 });
    machine.service.treat = ({ to }) => (to === person(5).phone ? 'rejected' : 'sent');
    expect(await machine.batch(machine.write(all))).toMatchObject({ code: 10, summary: { sent: 11, failed: 1 } });
    machine.service.treat = () => 'sent';
    expect(await machine.single(person(5))).toMatchObject({ code: 0 });
    expect(machine.reach(all)).toEqual({ 1: 12 });
  });
});

it.concurrent(
  'with a sandbox key, single messages and batches repeat each other, with a note for batches',
  async () => {
    await using machine = await openMachine('sandbox');
    const file = machine.write(all);
    const codes = [
      (await machine.single(ada)).code,
      (await machine.batch(file)).code,
      (await machine.single(ada)).code,
    ];
    expect([codes, machine.reach([ada]), machine.reach(rest)]).toEqual([[0, 0, 0], { 3: 1 }, { 1: 11 }]);
  },
);

describe.each(modes)('with a %s key', (mode) => {
  it.concurrent('a duplicate row of the input is skipped and counted', async () => {
    await using machine = await openMachine(mode);
    const file = machine.write([...all, ada, ...all.slice(0, 2)]);
    const first = await machine.batch(file, ['--concurrency', '2'], { interruptAfter: 3 });
    expect(first.summary?.skipped.duplicate).toBe(3);
    expect(await machine.batch(file)).toMatchObject({ code: 0, summary: { rows: 15, skipped: { duplicate: 3 } } });
    expect(machine.reach(all)).toEqual({ 1: 12 });
  });

  it.concurrent('two messages for one recipient are sent with --per', async () => {
    await using machine = await openMachine(mode);
    const others = all.slice(0, 3).map((row) => ({ ...row, name: `${row.name} too`, nick: `${row.nick} too` }));
    const file = machine.write([...all, ...others]);
    const words = ['--per', 'nick', '--job', 'orders', '--concurrency', '2'];
    await machine.batch(file, words, { interruptAfter: 4 });
    expect(await machine.batch(file, words)).toMatchObject({ code: 0, summary: { rows: 15, not_reached: 0 } });
    expect(machine.reach(others)).toEqual({ 1: 3 });
  });

  it.concurrent(
    '--skip-sent sends the first of two messages; the other is in the report, not in the failed file',
    async () => {
      await using machine = await openMachine(mode);
      const file = machine.write([...all, { ...ada, name: 'Other' }]);
      const ran = await machine.batch(file, ['--skip-sent']);
      expect(ran).toMatchObject({
        code: 0,
        summary: { sent: 12, skipped: { another_message: 1 }, files: { failed: null } },
      });
      const { stdout } = await machine.run([
        'runs',
        'show',
        ran.summary?.run ?? '',
        '--outcome',
        'skipped',
        '-o',
        'json',
      ]);
      expect(JSON.parse(stdout)).toMatchObject([{ line: 14, reason: 'another message for the recipient of line 4' }]);
    },
  );
});

it.concurrent('with a live key, two messages for one recipient stop the command, which names a column', async () => {
  await using machine = await openMachine('live');
  const file = machine.write([...all, { ...ada, name: 'Other', nick: 'Other' }]);
  const refused = await machine.batch(file);
  expect(refused).toMatchObject({ code: 11, error: 'sent-before' });
  expect(refused.text).toContain('line 14 has another message for the recipient of line 4');
  expect(refused.text).toContain('--per nick sends each of these messages');
});
