import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exitOf } from '../../../src/bulk/run/summary.ts';
import * as rig from './rig.ts';

const input = rig.numbered(30);
const never = new AbortController().signal;

describe('a run whose input gave', () => {
  it.each([
    ['fewer rows than were counted', input.slice(0, 12)],
    ['none of the rows that were counted', []],
  ])('%s is not finished, and goes on', async (_, given) => {
    const folder = rig.stateFolder();
    const first = await rig.part(folder, input, { rows: rig.rowsOf(given) });
    expect(first.summary).toMatchObject({ done: given.length, unsent: 30 - given.length });
    expect([exitOf(first.summary), first.summary.stopped?.code]).toEqual(['unsafe', 'input-changed']);
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect([second.sent, exitOf(second.summary)]).toEqual([input.slice(given.length), 'done']);
  });

  it('more rows than were counted does not end as done', async () => {
    const { summary } = await rig.part(rig.stateFolder(), input, { rows: rig.rowsOf([...input, 'row 31']) });
    expect(exitOf(summary)).toBe('unsafe');
  });
});

describe('a run that is stopped on its last row', () => {
  it.each(['done', 'failed'] as const)('is finished when that is %s', async (outcome) => {
    const [folder, stop] = [rig.stateFolder(), new AbortController()];
    const service = async (content: string) => {
      if (content !== 'row 30') return;
      stop.abort('SIGINT');
      if (outcome === 'failed') throw rig.rejected();
    };
    const { summary } = await rig.part(folder, input, { send: service, signals: { stop: stop.signal, leave: never } });
    expect([summary.unsent, exitOf(summary)]).toEqual([0, outcome === 'done' ? 'done' : 'partial']);
    await expect(rig.open(folder, input)).rejects.toMatchObject({ code: 'run-repeated' });
  });

  it('by its errors is finished, as it had no more to send', async () => {
    const service = async () => {
      throw rig.rejected();
    };
    const sending = { concurrency: 1, maxErrors: 30, send: service };
    const { summary } = await rig.part(rig.stateFolder(), input, sending);
    expect([summary.failed, exitOf(summary)]).toEqual([30, 'partial']);
  });

  it('is not finished when that was not sent', async () => {
    const service = async (content: string) => {
      if (content === 'row 30') throw rig.failure('interrupted', 'no');
    };
    const { summary } = await rig.part(rig.stateFolder(), input, { send: service });
    expect([summary.unsent, exitOf(summary)]).toEqual([1, 'interrupted']);
  });
});

it('a run whose journal was removed sends nothing more, and says so', async () => {
  const run = await rig.open(rig.stateFolder(), input);
  const sent: string[] = [];
  const service = async (content: string) => {
    if (sent.push(content) === 10) rmSync(run.folder, { recursive: true });
  };
  const running = rig.send(run, input, { concurrency: 2, send: service });
  await expect(running).rejects.toMatchObject({
    exit: 'configuration',
    code: 'journal-gone',
    message: expect.stringContaining(run.folder),
  });
  expect(sent).toEqual(input.slice(0, 10));
  await run.close();
});

it('a finished run sends again what is unsure where that is allowed', async () => {
  const folder = rig.stateFolder();
  const service = async (content: string) => {
    if (content === 'row 7') throw rig.fault();
    if (content === 'row 8') throw rig.rejected();
  };
  await rig.part(folder, input, { send: service });
  const opening = { flags: { resume: true, allowUnsure: true } };
  const { sent, summary } = await rig.part(folder, input, { opening });
  expect(sent).toEqual(['row 7']);
  expect(summary).toMatchObject({ done: 29, failed: 1, unsure: 0, unsent: 0, stopped: undefined });
  await expect(rig.part(folder, input, { opening })).rejects.toThrow('it is finished');
});
