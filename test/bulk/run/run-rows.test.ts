import { describe, expect, it } from 'vitest';
import { exitOf } from '../../../src/bulk/run/summary.ts';
import type { CliError } from '../../../src/errors.ts';
import { canSwapFiles, swapFile } from '../../support/disk.ts';
import * as rig from './rig.ts';

describe('a run', () => {
  it.each([1, 3, 20])('sends every row once, %i at a time at most', async (concurrency) => {
    let [now, most] = [0, 0];
    const service = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    };
    const input = rig.numbered(200);
    const { sent, summary } = await rig.part(rig.stateFolder(), input, { concurrency, send: service });
    expect(sent).toEqual(input);
    expect(most).toBe(concurrency);
    expect(summary).toMatchObject({ rows: 200, done: 200, failed: 0, unsure: 0, skipped: 0, unsent: 0, reasons: [] });
    expect(exitOf(summary)).toBe('done');
  });

  it('of no rows is finished at once', async () => {
    const { summary } = await rig.part(rig.stateFolder(), [], {});
    expect(summary).toMatchObject({ rows: 0, done: 0, stopped: undefined });
  });

  it('tells failed from unsure, and goes on', async () => {
    const answers = new Map<string, () => CliError>([
      ['row 2', rig.rejected],
      ['row 4', rig.fault],
      ['row 5', rig.lost],
    ]);
    const input = [...rig.numbered(6), '!"x" is no phone', ...rig.numbered(3)];
    const { summary, outcomes, sent } = await rig.part(rig.stateFolder(), input, { send: answering(answers) });
    expect(sent.toSorted()).toEqual([...rig.numbered(6), ...rig.numbered(3)].toSorted());
    // The second `row 2` is refused like the first.
    expect(summary).toMatchObject({ done: 5, failed: 3, unsure: 2, unsureLines: [5, 6], stopped: undefined });
    expect(summary.reasons).toContainEqual({ reason: '"x" is no phone', count: 1 });
    expect(summary.reasons).toContainEqual({ reason: 'rejected it is', count: 2 });
    expect(exitOf(summary)).toBe('partial');
    expect(outcomes).toHaveLength(10);
    expect(outcomes.filter(({ outcome }) => outcome === 'unsure').map(({ row }) => row.number)).toEqual([4, 5]);
  });

  it('hands on what the service answered', async () => {
    const { outcomes } = await rig.part(rig.stateFolder(), ['a'], { send: async (content) => ({ id: content }) });
    expect(outcomes).toEqual([{ outcome: 'done', row: expect.objectContaining({ number: 1 }), answer: { id: 'a' } }]);
  });

  it('sends no more while the listener is behind', async () => {
    const input = rig.numbered(20);
    const run = await rig.open(rig.stateFolder(), input);
    let [sent, caughtUp] = [0, () => {}];
    const behind = new Promise<void>((resolve) => (caughtUp = resolve));
    const service = async () => void (sent += 1);
    const running = rig.send(run, input, { concurrency: 3, send: service, onOutcome: () => behind });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(sent).toBe(3);
    caughtUp();
    expect(await running).toMatchObject({ done: 20 });
    await run.close();
  });

  it('has the disk take each intent before its row is sent, where that is asked for', async () => {
    const input = rig.numbered(10);
    const run = await rig.open(rig.stateFolder(), input);
    let [recorded, synced, sent] = [0, 0, 0];
    const spied = {
      ...run,
      record: (record: Parameters<typeof run.record>[0]) => {
        recorded += record[2].length / 3;
        run.record(record);
      },
      synced: async () => {
        await run.synced();
        synced = recorded;
      },
    };
    const service = async () => expect(++sent).toBeLessThanOrEqual(synced);
    expect(await rig.send(spied, input, { paced: true, send: service })).toMatchObject({ done: 10 });
    await run.close();
  });
});

describe('a run stops', () => {
  it.each([
    ['the key is refused', rig.failure('keyRefused', 'no', 401), 'keyRefused'],
    ['the plan does not include it', rig.failure('keyRefused', 'no', 403), 'keyRefused'],
    ['the client has given up on 429', rig.failure('rateLimited', 'no', 429), 'rateLimited'],
    ['the client is called off', rig.failure('interrupted', 'no'), 'interrupted'],
  ])('at once when %s, its rows unsent', async (_, error, exit) => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(30)];
    const answers = new Map([['row 7', () => error]]);
    const first = await rig.part(folder, input, { concurrency: 1, send: answering(answers) });
    expect(first.summary).toMatchObject({ done: 6, failed: 0, unsure: 0, unsent: 24, stopped: { exit } });
    expect(exitOf(first.summary)).toBe(exit);
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect(second.sent).toEqual(input.slice(6));
    expect(second.summary).toMatchObject({ done: 30, skipped: 6, stopped: undefined });
  });

  it.each([
    ['rejected', rig.rejected, 'rejected'],
    ['unsure', rig.fault, 'unsure'],
  ])('after twenty consecutive rows that are %s, and can be resumed', async (_, error, exit) => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(100)];
    const service = async () => {
      throw error();
    };
    const first = await rig.part(folder, input, { concurrency: 1, send: service });
    expect(first.sent).toHaveLength(20);
    expect(first.summary).toMatchObject({ done: 0, unsent: 80, stopped: { exit, code: 'too-many-errors' } });
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect(second.sent).toEqual(input.slice(20));
    expect(second.summary).toMatchObject({ done: 80, skipped: 20, unsent: 0, stopped: undefined });
  });

  it('after twenty consecutive rows that cannot be sent', async () => {
    const input = Array.from({ length: 100 }, (_, at) => `!no phone in row ${at}`);
    const { summary } = await rig.part(rig.stateFolder(), input, {});
    expect(summary).toMatchObject({ failed: 20, stopped: { exit: 'usage', code: 'too-many-errors' } });
    expect(summary.reasons).toEqual([{ reason: 'no phone in row …', count: 20 }]);
  });

  it.each([
    ['every other row cannot be sent', Array.from({ length: 200 }, (_, at) => (at % 2 ? '!bad' : 'good'))],
    ['nineteen in a row cannot', Array.from({ length: 200 }, (_, at) => (at % 20 ? '!bad' : 'good'))],
  ])('not when %s', async (_, input) => {
    const { summary } = await rig.part(rig.stateFolder(), input, { concurrency: 64 });
    expect(summary.stopped).toBeUndefined();
    expect(summary.done + summary.failed).toBe(200);
  });

  it('after as many as it is told to', async () => {
    const service = async () => {
      throw rig.rejected();
    };
    const { summary } = await rig.part(rig.stateFolder(), rig.numbered(9), {
      concurrency: 1,
      maxErrors: 3,
      send: service,
    });
    expect(summary).toMatchObject({ failed: 3, stopped: { exit: 'rejected' } });
  });

  it('after what is on its way has come back, when it is asked to', async () => {
    const [folder, input, stop] = [rig.stateFolder(), rig.numbered(50), new AbortController()];
    const service = async (content: string) => {
      await new Promise(setImmediate);
      if (content === 'row 10') stop.abort('SIGTERM');
      await new Promise(setImmediate);
    };
    const signals = { stop: stop.signal, leave: new AbortController().signal };
    const { summary, sent } = await rig.part(folder, input, { send: service, signals });
    expect(summary).toMatchObject({ done: sent.length, unsure: 0, unsent: 50 - sent.length });
    expect(summary.stopped).toMatchObject({ exit: 'terminated' });
    expect(sent.length).toBeLessThan(20);
  });

  it('and leaves what is on its way as unsure, when nobody waits any more', async () => {
    const [folder, input, leave] = [rig.stateFolder(), rig.numbered(50), new AbortController()];
    const service = (content: string) => {
      if (content === 'row 10') leave.abort('SIGINT');
      return content === 'row 8' || content === 'row 9' ? new Promise(() => {}) : Promise.resolve();
    };
    const signals = { stop: new AbortController().signal, leave: leave.signal };
    const { summary } = await rig.part(folder, input, { concurrency: 3, send: service, signals });
    expect(summary).toMatchObject({ unsure: 2, unsureLines: [9, 10], stopped: { exit: 'interrupted' } });
  });

  it('with the failure of an input that cannot be read to its end', async () => {
    const input = rig.numbered(14);
    const run = await rig.open(rig.stateFolder(), input);
    async function* broken() {
      yield* rig.rowsOf(input);
      throw rig.failure('usage');
    }
    const summary = await rig.send(run, input, { rows: broken() });
    expect(summary.done + summary.unsent).toBe(14);
    expect(summary).toMatchObject({ unsure: 0, stopped: { exit: 'usage' } });
    await run.close();
  });

  it('and says so when it meets a bug, with all that is known recorded', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(50)];
    const service = async (content: string) => {
      if (content === 'row 10') throw new TypeError('a bug');
    };
    await expect(rig.part(folder, input, { concurrency: 1, send: service })).rejects.toThrow('a bug');
    const { sent, summary } = await rig.part(folder, input, { opening: rig.resume });
    expect(sent).toEqual(input.slice(10));
    expect(summary).toMatchObject({ done: 49, unsure: 1, unsureLines: [11] });
  });

  it.skipIf(!canSwapFiles)('when the disk is full, with nothing sent that was not recorded', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(50)];
    const run = await rig.open(folder, input);
    const sent: string[] = [];
    const service = async (content: string) => {
      if (sent.push(content) === 10) swapFile(`${run.folder}/journal.ndjson`, '/dev/full');
    };
    const summary = await rig.send(run, input, { concurrency: 2, send: service });
    expect(summary.stopped).toMatchObject({ exit: 'configuration', code: 'journal-unwritable' });
    await expect(run.close()).rejects.toMatchObject({ code: 'journal-unwritable' });
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect([...sent, ...second.sent]).toEqual(input);
    expect(second.summary).toMatchObject({ done: 48, unsure: 2, unsureLines: [10, 11] });
  });
});

function answering(answers: ReadonlyMap<string, () => CliError>) {
  return async (content: string) => {
    const error = answers.get(content);
    if (error) throw error();
  };
}
