import { describe, expect, it } from 'vitest';
import { readStory } from '../../../src/bulk/run/story.ts';
import { canSwapFiles, swapFile } from '../../support/disk.ts';
import * as rig from './rig.ts';

const input = rig.numbered(30);

/** So many rows leave at once, and each other one when it is let. */
function slots(free: number) {
  const waiting: (() => void)[] = [];
  return {
    waiting,
    async slot(_: string, leaving: () => Promise<void> | undefined): Promise<void> {
      if (free-- <= 0) await new Promise<void>((resolve) => void waiting.push(resolve));
      await leaving();
    },
  };
}

function inFlight(folder: string): readonly number[] {
  return (readStory(folder)?.ledger.inFlight() ?? []).map(({ number }) => number);
}

const settled = { timeout: 5_000, interval: 1 };

describe.each([
  ['at a pace', true],
  ['without one', false],
])('while rows wait %s', (_, paced) => {
  it('only those that have left are on the journal as sent', async () => {
    const [run, { slot, waiting }] = [await rig.open(rig.stateFolder(), input), slots(3)];
    const sent: string[] = [];
    const send = (content: string) => new Promise(() => sent.push(content));
    const leave = new AbortController();
    const signals = { stop: new AbortController().signal, leave: leave.signal };
    const running = rig.send(run, input, { concurrency: 8, paced, slot, signals, send });
    await expect
      .poll(() => [waiting.length, sent, inFlight(run.folder)], settled)
      .toEqual([5, input.slice(0, 3), [1, 2, 3]]);
    waiting.shift()?.();
    await expect.poll(() => [sent, inFlight(run.folder)], settled).toEqual([input.slice(0, 4), [1, 2, 3, 4]]);
    leave.abort('SIGINT');
    expect(await running).toMatchObject({ unsure: 4, unsureLines: [2, 3, 4, 5], unsent: 26 });
    await run.close();
  });

  it('a run that is stopped by its errors ends, and sends none of them', async () => {
    const [folder, { slot, waiting }] = [rig.stateFolder(), slots(4)];
    const send = async () => {
      throw rig.rejected();
    };
    const { summary, sent } = await rig.part(folder, input, { concurrency: 8, maxErrors: 4, paced, slot, send });
    expect(summary).toMatchObject({ failed: 4, unsure: 0, unsent: 26, stopped: { code: 'too-many-errors' } });
    for (const go of waiting) go();
    await new Promise(setImmediate);
    expect(sent).toEqual(input.slice(0, 4));
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect(second.sent.toSorted()).toEqual(input.slice(4).toSorted());
  });

  it('what keeps one from leaving stops the run, and none of them is sent', async () => {
    const [folder, { slot }] = [rig.stateFolder(), slots(2)];
    let [bothSent, done] = [() => {}, 0];
    const both = new Promise<void>((resolve) => (bothSent = resolve));
    const send = async () => {
      if (++done === 2) setImmediate(bothSent);
    };
    const refusing = async (content: string, leaving: () => Promise<void> | undefined) => {
      if (content === 'row 5') await both;
      if (content === 'row 5') throw rig.failure('configuration');
      await slot(content, leaving);
    };
    const { summary, sent } = await rig.part(folder, input, { concurrency: 8, paced, send, slot: refusing });
    expect(summary).toMatchObject({ done: 2, failed: 0, unsure: 0, unsent: 28, stopped: { exit: 'configuration' } });
    expect(sent).toEqual(input.slice(0, 2));
  });

  it.skipIf(!canSwapFiles)('and the disk is full when one may leave, it is not sent', async () => {
    const [folder, { slot, waiting }] = [rig.stateFolder(), slots(1)];
    const run = await rig.open(folder, input);
    const sent: string[] = [];
    const running = rig.send(run, input, { concurrency: 4, paced, slot, send: async (content) => sent.push(content) });
    const written = () => [readStory(run.folder)?.ledger.counts(), inFlight(run.folder)];
    const one = { done: 1, failed: 0, unsure: 0 };
    await expect.poll(() => [waiting.length, ...written()], settled).toEqual([4, one, []]);
    swapFile(`${run.folder}/journal.ndjson`, '/dev/full');
    waiting.shift()?.();
    expect((await running).stopped).toMatchObject({ code: 'journal-unwritable' });
    await expect(run.close()).rejects.toMatchObject({ code: 'journal-unwritable' });
    expect(sent).toEqual(['row 1']);
    const second = await rig.part(folder, input, { opening: rig.resume });
    expect([second.sent.toSorted(), second.summary.unsure]).toEqual([input.slice(1).toSorted(), 0]);
  });
});

it('a row that was unsure and only waited is still unsure for the reason that it had', async () => {
  const folder = rig.stateFolder();
  await rig.part(folder, ['row 1'], {
    send: async () => {
      throw rig.fault();
    },
  });
  const stop = new AbortController();
  const slot = async () => {
    stop.abort('SIGINT');
    throw rig.failure('interrupted', 'no');
  };
  const opening = { flags: { resume: true, allowUnsure: true } };
  const signals = { stop: stop.signal, leave: new AbortController().signal };
  const { summary } = await rig.part(folder, ['row 1'], { opening, paced: true, slot, signals });
  expect(summary).toMatchObject({ unsure: 1, reasons: [{ reason: 'unsure it is' }] });
});
