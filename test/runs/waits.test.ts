import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import * as rig from './engine-rig.ts';

const input = rig.numbered(30);
const never = new AbortController().signal;
const settled = { timeout: 5_000, interval: 1 };

/** Sends this many rows immediately, and the others when `waiting` resolves them. */
function slots(free: number) {
  const waiting: (() => void)[] = [];
  return {
    waiting,
    async slot(_: string, signal: AbortSignal | undefined): Promise<void> {
      if (free-- > 0) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(rig.failure('interrupted', 'no')));
      });
    },
  };
}

/** Reads from the ledger how many rows of a run are in flight. */
function spy() {
  let look = async () => 0;
  return {
    onOpened({ ledger, run }: { ledger: Pick<Ledger, 'runs'>; run: string }) {
      look = async () => (await ledger.runs()).find(({ id }) => id === run)?.counts.leaving ?? 0;
    },
    inFlight: () => look(),
  };
}

describe('while rows wait for the rate limit', () => {
  it('only sent rows are claimed', async () => {
    const [{ slot, waiting }, { onOpened, inFlight }, leave] = [slots(3), spy(), new AbortController()];
    const sent: string[] = [];
    const send = (content: string) => new Promise(() => sent.push(content));
    const signals = { stop: never, leave: leave.signal };
    const running = rig.part(rig.stateFolder(), input, { concurrency: 8, slot, signals, send, onOpened });
    await expect.poll(async () => [waiting.length, sent, await inFlight()], settled).toEqual([5, input.slice(0, 3), 3]);
    waiting.shift()?.();
    await expect.poll(async () => [sent, await inFlight()], settled).toEqual([input.slice(0, 4), 4]);
    leave.abort('SIGINT');
    expect((await running).counts).toEqual({ done: 0, failed: 0, unsure: 4, left: 26 });
  });

  it('a run that is stopped by its errors ends, and sends none of them', async () => {
    const [folder, { slot, waiting }] = [rig.stateFolder(), slots(3)];
    const send = async () => {
      throw rig.rejected();
    };
    const { counts, stopped, sent } = await rig.part(folder, input, { concurrency: 8, slot, send });
    expect(counts).toEqual({ done: 0, failed: 3, unsure: 0, left: 27 });
    expect(stopped).toMatchObject({ code: 'too-many-errors' });
    for (const go of waiting) go();
    await new Promise(setImmediate);
    expect(sent).toEqual(input.slice(0, 3));
    const second = await rig.part(folder, input);
    expect(second.sent.toSorted()).toEqual(input.toSorted());
  });

  it('an error before a send stops the run, and none of them is sent', async () => {
    const { slot } = slots(2);
    let [bothSent, done] = [() => {}, 0];
    const both = new Promise<void>((resolve) => (bothSent = resolve));
    const send = async () => {
      if (++done === 2) setImmediate(bothSent);
    };
    const refusing = async (content: string, signal: AbortSignal | undefined) => {
      if (content === 'row 5') await both;
      if (content === 'row 5') throw rig.failure('configuration');
      await slot(content, signal);
    };
    const ended = await rig.part(rig.stateFolder(), input, { concurrency: 8, send, slot: refusing });
    expect(ended).toMatchObject({ counts: { done: 2, left: 28 }, stopped: { exit: 'configuration' } });
    expect(ended.sent).toEqual(input.slice(0, 2));
  });
});

it('a row that waits for a retry after a 429 is not unsure meanwhile', async () => {
  const { onOpened, inFlight } = spy();
  const seen: number[] = [];
  const slot = async () => {
    if (seen.length === 0) return;
    await expect.poll(inFlight, settled).toBe(0);
    seen.push(await inFlight());
  };
  const isLimited = async () => {
    const isFirst = seen.length === 0;
    if (isFirst) seen.push(await inFlight());
    return isFirst;
  };
  const { counts, sent } = await rig.part(rig.stateFolder(), ['row 1'], { slot, isLimited, onOpened });
  expect([seen, sent, counts.done]).toEqual([[1, 0], ['row 1'], 1]);
});

it('an unsure row that only waited for a retry stays unsure', async () => {
  const folder = rig.stateFolder();
  await rig.part(folder, ['row 1'], { send: rig.answering({ 'row 1': rig.fault }) });
  const stop = new AbortController();
  const slot = async () => {
    stop.abort('SIGINT');
    throw rig.failure('interrupted', 'no');
  };
  const signals = { stop: stop.signal, leave: never };
  const second = await rig.part(folder, ['row 1'], { choice: { retryUnsure: 'always' }, slot, signals });
  expect([second.sent, second.counts]).toEqual([[], { done: 0, failed: 0, unsure: 1, left: 0 }]);
});

it('a claim that was granted after more than 25 seconds is given back, and made again', async () => {
  const folder = rig.stateFolder();
  const ledger = await rig.openLedger(folder);
  const clock = rig.virtualClock();
  let [late, claims] = [26_000, 0];
  const shared: typeof ledger = {
    ...ledger,
    async claim(...given) {
      claims += 1;
      const verdicts = await ledger.claim(...given);
      await new Promise<void>((resolve) => clock.later(late, resolve));
      late = 0;
      return verdicts;
    },
  };
  const { sent, counts } = await rig.part(folder, ['row 1'], { shared, clock });
  expect([claims, sent, counts.done]).toEqual([2, ['row 1'], 1]);
});
