import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { corrected, day, it, type Machine, people } from './rig.ts';

const all = people(1, 200);
/** Three names corrected, and one person added. */
const fixed = corrected(people(1, 201), 3, 50, 170);

describe('a finished batch, then its file with 3 names corrected and 1 person added', () => {
  it('is refused with what was found; --skip-sent sends only the added person', async ({ machine }) => {
    await machine.sends(200, all);
    await machine.refuses([/200 found/, /3 of them with another text now/, /--skip-sent/], fixed);
    for (const sent of [1, 0]) await machine.sends(sent, fixed, '--skip-sent');
  });

  it('sends only the added person as a job created with --skip-sent, which keeps that choice', async ({ machine }) => {
    await machine.sends(200, all);
    await machine.refuses([/200 found/], fixed, '--job fixed');
    for (const sent of [1, 0]) await machine.sends(sent, fixed, '--job fixed --skip-sent');
    await machine.sends(1, people(1, 202), '--job fixed');
  });

  it('is sent to all once more with --again, in a job', async ({ machine }) => {
    await machine.sends(200, all);
    await machine.refuses([/--job/], fixed, '--again');
    for (const sent of [201, 0]) await machine.sends(sent, fixed, '--job fixed --again');
    machine.times = (number) => (number === 201 ? 1 : 2);
  });

  it('of the same job sends only the added person, and shows what was changed since', async ({ machine }) => {
    await machine.sends(200, all, '--job news');
    const { stderr } = await machine.sends({ sent: 1, skipped: { changed: 3 } }, fixed, '--job news');
    expect(stderr).toMatch(/changed since .*lines 4, 51, 171/);
  });
});

describe('an interrupted batch, then its file with 3 names corrected and 1 person added', () => {
  it.for([
    ['under another name', fixed, { name: 'tuesday.csv' }],
    ['sorted', fixed.toReversed(), {}],
    ['with CRLF', fixed, { format: 'crlf' }],
    ['as NDJSON', fixed, { name: 'people.ndjson', format: 'ndjson' }],
    ['as JSON', fixed, { name: 'people.json', format: 'json' }],
    ['from stdin', fixed, { name: '-' }],
  ] as const)('sends the rest %s', async ([, rows, options], { machine }) => {
    const sent = 201 - (await machine.interrupted(100, all));
    await machine.sends({ sent, skipped: { changed: 2 } }, rows, '', options);
  });

  it('sends the rest by two processes together', async ({ machine }) => {
    const sent = 201 - (await machine.interrupted(100, all));
    void machine.arrived(32).then(machine.hold());
    const both = await Promise.all([machine.start(fixed), machine.start(fixed)].map(({ ended }) => ended));
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ summary }) => summary?.sent ?? 0).reduce((one, other) => one + other)).toBe(sent);
  });
});

describe('an unsure row, then corrected', () => {
  const fixed = corrected(all, 7);
  const isHeld = { sent: 0, code: 10, skipped: { unsure: 1 } };

  async function leaveUnsure(machine: Machine): Promise<void> {
    machine.reply = ({ text }) => (text === 'P7' ? 500 : 200);
    await machine.sends({ sent: 199, code: 10 }, all);
    machine.reply = () => 200;
    machine.times = (number) => (number === 7 ? [1, 2] : 1);
  }

  it('is held back with --skip-sent, each time', async ({ machine }) => {
    await leaveUnsure(machine);
    for (const _ of [1, 2]) await machine.sends(isHeld, fixed, '--skip-sent');
  });

  it('is sent with --retry-unsure, and then counts as sent', async ({ machine }) => {
    await leaveUnsure(machine);
    await machine.sends(1, fixed, '--retry-unsure');
    await machine.refuses([/200 found/], fixed);
    await machine.sends(0, fixed, '--retry-unsure --skip-sent');
  });

  it('is tried by --retry-unsure past a 429, and stays unsure if it is interrupted there', async ({ machine }) => {
    await leaveUnsure(machine);
    machine.reply = () => 429;
    await machine.interrupted(1, fixed, '--retry-unsure');
    await machine.sends(isHeld, fixed, '--skip-sent');
    const tried = machine.service.asked.length;
    machine.reply = () => (machine.service.asked.length === tried ? 429 : 200);
    await machine.sends(1, fixed, '--retry-unsure');
  });

  it.for([
    ['a 4xx', 422],
    ['a time-out', 'hang'],
    ['a lost answer', 'reset'],
  ] as const)('stays unsure after %s, and a wrapper tries it once a day', async ([, reply], { machine }) => {
    await leaveUnsure(machine);
    machine.reply = () => reply;
    for (const _ of [1, 2, 3]) expect((await machine.batch(fixed, '--retry-unsure --timeout 1')).code).toBe(10);
    expect(machine.service.asked).toHaveLength(201);
    machine.reply = () => 200;
    await machine.sends(isHeld, fixed, '--skip-sent');
    machine.wait(day);
    await machine.sends(1, fixed, '--retry-unsure');
    machine.times = (number) => (number === 7 ? [1, 3] : 1);
  });

  it('is tried with the unsure file alone, and then counts as sent for its run', async ({ machine }) => {
    await leaveUnsure(machine);
    const file = { file: `${machine.home}/people.unsure.csv` };
    const rows = all.slice(6, 7);
    await machine.refuses([/1 found/], rows, '', file);
    await machine.sends(isHeld, rows, '--skip-sent', file);
    await machine.sends(1, rows, '--retry-unsure', file);
    await machine.sends(0, all, '--skip-sent');
  });
});

it('a name that is corrected while the old text is in flight is not sent by another command', async ({ machine }) => {
  const fixed = corrected(all, 1, 2, 3, 4);
  const [goOn, isInFlight] = [machine.hold(), machine.arrived(16)];
  const first = machine.start(all);
  await isInFlight;
  await machine.refuses([/1 found/], fixed.slice(0, 1), '', { name: 'ada.csv' });
  const second = machine.start(fixed, '', { name: 'fixed.csv' });
  await expect.poll(second.stderr).toContain('another process is working on run');
  goOn();
  expect(await first.ended).toMatchObject({ code: 0 });
  expect(await second.ended).toMatchObject({ code: 0, summary: { skipped: { changed: 4 } } });
});

it('another message for an earlier recipient is listed, and not in the failed file', async ({ machine }) => {
  const rows = [...people(1, 9), ...corrected(people(3, 3)), { phone: '123', name: 'Bad' }];
  await machine.refuses([/another message for the recipient of line 4/], rows);
  const { summary } = await machine.sends({ sent: 9, code: 10 }, rows, '--skip-sent');
  const failed = readFileSync(summary.files.failed ?? '', 'utf8');
  expect([failed.includes('Bad'), failed.includes('corrected')]).toEqual([true, false]);
  const { stdout } = await machine.run(['runs', 'show', summary.run, '--columns', 'line,outcome,reason']);
  expect(stdout).toMatch(/^11\t(?!sent).*line 4/m);
});
