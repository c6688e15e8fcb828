import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import * as rig from './engine-rig.ts';
import { posixOnly } from '../support/system.ts';

const never = new AbortController().signal;

describe('a run', () => {
  it.each([1, 3, 20])('sends every row once, at most %i at a time', async (concurrency) => {
    let [now, most] = [0, 0];
    const send = async () => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    };
    const input = rig.numbered(200);
    const { sent, counts, stopped } = await rig.part(rig.stateFolder(), input, { concurrency, send });
    expect(sent).toEqual(input);
    expect(most).toBe(concurrency);
    expect([counts, stopped]).toEqual([{ done: 200, failed: 0, unsure: 0, left: 0 }, undefined]);
  });

  it('without rows ends immediately', async () => {
    const { counts, stopped } = await rig.part(rig.stateFolder(), []);
    expect([counts, stopped]).toEqual([{ done: 0, failed: 0, unsure: 0, left: 0 }, undefined]);
  });

  it('distinguishes failed from unsure rows, and continues', async () => {
    const send = rig.answering({ 'row 2': rig.rejected, 'row 4': rig.fault, 'row 5': rig.lost });
    const input = rig.numbered(9);
    const ended = await rig.part(rig.stateFolder(), input, { send });
    expect(ended.sent.toSorted()).toEqual(input.toSorted());
    expect(ended).toMatchObject({ counts: { done: 6, failed: 1, unsure: 2, left: 0 }, stopped: undefined });
    expect([rig.numbersOf(ended, 'failed'), rig.numbersOf(ended, 'unsure')]).toEqual([[2], [4, 5]]);
  });

  it('reports the responses of the service', async () => {
    const { outcomes } = await rig.part(rig.stateFolder(), ['a'], { send: async (content) => ({ id: content }) });
    expect(outcomes).toEqual([{ outcome: 'done', row: expect.objectContaining({ number: 1 }), answer: { id: 'a' } }]);
  });

  it('stops sending while outcomes cannot be printed', async () => {
    let [sent, caughtUp] = [0, () => {}];
    const behind = new Promise<void>((resolve) => (caughtUp = resolve));
    const send = async () => void (sent += 1);
    const running = rig.part(rig.stateFolder(), rig.numbered(20), { concurrency: 3, send, onOutcome: () => behind });
    // Three more rows may be sent before the first outcome is printed.
    await expect.poll(() => sent).toBeGreaterThanOrEqual(3);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(sent).toBeLessThanOrEqual(6);
    caughtUp();
    expect(await running).toMatchObject({ counts: { done: 20 } });
  });

  it('returns the slot of a row that the ledger does not grant', async () => {
    const verdicts = [
      { verdict: 'yours', item: 1 },
      { verdict: 'done', isChanged: false },
      { verdict: 'failed' },
    ] as const;
    const ledger = { claim: async () => verdicts, settle: async () => {} };
    const returned: string[] = [];
    const { sent } = await rig.part(rig.stateFolder(), rig.numbered(3), {
      ledger,
      concurrency: 3,
      onReturn: (content, ended) => returned.push(`${content}: ${ended}`),
    });
    expect(sent).toEqual(['row 1']);
    expect(returned).toEqual(['row 2: unsent', 'row 3: unsent', 'row 1: done']);
  });

  it('claims a row in the ledger before it is sent', async () => {
    const [claimed, sent]: [Set<number>, number[]] = [new Set(), []];
    const [folder, input] = [rig.stateFolder(), rig.numbered(10)];
    const ledger = { claim: (): never => expect.fail(), settle: (): never => expect.fail() };
    await rig.part(folder, input, {
      onOpened({ ledger: opened }) {
        Object.assign(ledger, {
          claim: async (...given: Parameters<typeof opened.claim>) => {
            const verdicts = await opened.claim(...given);
            await new Promise(setImmediate);
            for (const { item } of given[0]) claimed.add(item);
            return verdicts;
          },
          settle: opened.settle,
        });
      },
      ledger,
      send: async () => void sent.push(claimed.size),
    });
    expect([claimed.size, sent.every((known, at) => known > at)]).toEqual([10, true]);
  });
});

describe('a run stops', () => {
  it('if the outcome of a row that another run has sent cannot be logged', async () => {
    const ledger = {
      claim: async (items: readonly unknown[]) =>
        items.map(() => ({ verdict: 'elsewhere', run: 'other', at: 0, state: 'done' }) as const),
      settle: async () => {},
    };
    const onOutcome = () => {
      throw rig.failure('configuration', 'no', undefined, 'no space left');
    };
    const { stopped } = await rig.part(rig.stateFolder(), rig.numbered(9), { ledger, onOutcome });
    expect(stopped).toMatchObject({ exit: 'configuration', message: 'no space left' });
  });

  it.each([
    ['the key is refused', rig.failure('keyRefused', 'no', 401), 'keyRefused'],
    ['the plan does not include it', rig.failure('keyRefused', 'no', 403), 'keyRefused'],
    ['the client has given up on 429', rig.failure('rateLimited', 'no', 429), 'rateLimited'],
    ['the client was interrupted', rig.failure('interrupted', 'no'), 'interrupted'],
  ])('immediately if %s, and the row counts as not sent', async (_, error, exit) => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(30)];
    const first = await rig.part(folder, input, { concurrency: 1, send: rig.answering({ 'row 7': () => error }) });
    expect(first).toMatchObject({ counts: { done: 6, failed: 0, unsure: 0, left: 24 }, stopped: { exit } });
    const second = await rig.part(folder, input);
    expect(second.sent).toEqual(input.slice(6));
    expect(second).toMatchObject({ run: first.run, counts: { done: 30, left: 0 }, stopped: undefined });
  });

  it.each([
    ['rejected', rig.rejected, 'rejected'],
    ['unsure', rig.fault, 'unsure'],
  ])('after twenty consecutive rows that are %s, and continues', async (_, error, exit) => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(100)];
    const send = async (content: string) => {
      if (content !== 'row 1') throw error();
    };
    const first = await rig.part(folder, input, { concurrency: 1, send });
    expect(first.sent).toHaveLength(21);
    expect(first).toMatchObject({ counts: { done: 1, left: 79 }, stopped: { exit, code: 'too-many-errors' } });
    const second = await rig.part(folder, input);
    expect(second.sent.slice(0, 79)).toEqual(input.slice(21));
    expect(second).toMatchObject({ counts: { left: 0 }, stopped: undefined });
  });

  it.each([
    ['rejected', rig.rejected],
    ['unsure', rig.fault],
  ])('after three rows that are %s, until the service has accepted one', async (_, error) => {
    const send = async () => {
      throw error();
    };
    const [folder, input] = [rig.stateFolder(), rig.numbered(50)];
    const { sent, stopped, counts } = await rig.part(folder, input, { concurrency: 1, send });
    expect([sent.length, counts.left, stopped?.code]).toEqual([3, 47, 'too-many-errors']);
    expect(stopped?.message).toContain('the first 3 rows failed or are unsure');
  });

  it('later than that unless an earlier command of this run had no row accepted', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(50)];
    const stopping = rig.answering({ 'row 2': () => rig.failure('keyRefused', 'no', 401) });
    await rig.part(folder, input, { concurrency: 1, send: stopping });
    const send = async () => {
      throw rig.rejected();
    };
    const { sent, stopped } = await rig.part(folder, input, { concurrency: 1, send });
    expect([sent.length, stopped?.code]).toEqual([20, 'too-many-errors']);
  });

  it('but not when nineteen rows in a row fail repeatedly', async () => {
    const send = async (content: string) => {
      if ((Number(content.slice(4)) - 1) % 20 > 0) throw rig.rejected();
    };
    const ended = await rig.part(rig.stateFolder(), rig.numbered(200), { concurrency: 1, send });
    expect(ended).toMatchObject({ counts: { done: 10, failed: 190, left: 0 }, stopped: undefined });
  });

  it('after the requests in flight, on the first signal', async () => {
    const [folder, input, stop] = [rig.stateFolder(), rig.numbered(50), new AbortController()];
    const send = async (content: string) => {
      await new Promise(setImmediate);
      if (content === 'row 10') stop.abort('SIGTERM');
      await new Promise(setImmediate);
    };
    const { sent, counts, stopped } = await rig.part(folder, input, {
      send,
      signals: { stop: stop.signal, leave: never },
    });
    expect(counts).toEqual({ done: sent.length, failed: 0, unsure: 0, left: 50 - sent.length });
    expect(stopped).toMatchObject({ exit: 'terminated' });
    expect(sent.length).toBeLessThan(20);
  });

  it('immediately on a second Ctrl-C, and the requests in flight are unsure', async () => {
    const [folder, input, leave] = [rig.stateFolder(), rig.numbered(50), new AbortController()];
    const send = (content: string) => {
      if (content === 'row 10') leave.abort('SIGINT');
      return content === 'row 8' || content === 'row 9' ? new Promise(() => {}) : Promise.resolve();
    };
    const signals = { stop: never, leave: leave.signal };
    const ended = await rig.part(folder, input, { concurrency: 3, send, signals });
    expect(ended).toMatchObject({ counts: { unsure: 2 }, stopped: { exit: 'interrupted' } });
    expect(rig.numbersOf(ended, 'unsure')).toEqual([8, 9]);
  });

  it.each([
    ['a signal', 'SIGTERM', 'stop'],
    ['a second Ctrl-C', 'SIGINT', 'leave'],
  ] as const)('on %s while it claims rows, without sending them', async (_, name, kind) => {
    const [input, signal] = [rig.numbered(50), new AbortController()];
    let sentBefore = 0;
    const { sent, counts } = await rig.part(rig.stateFolder(), input, {
      ...duringClaim(3, () => signal.abort(name)),
      signals: { stop: never, leave: never, [kind]: signal.signal },
      send: async () => void (sentBefore += signal.signal.aborted ? 0 : 1),
    });
    expect(sent).toHaveLength(sentBefore);
    expect(counts).toEqual({ done: sentBefore, failed: 0, unsure: 0, left: 50 - sentBefore });
  });

  it('while an outcome cannot be recorded: a row that was released is not sent after that', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(4)];
    let [isReleased, proceed] = [false, () => {}];
    const recorded = new Promise<void>((resolve) => (proceed = resolve));
    const first = await rig.part(folder, input, {
      ...losingFirstOutcomes(() => proceed()),
      async slot(content) {
        if (content === 'row 1' && isReleased) await recorded;
      },
      isLimited: async (content) => content === 'row 1' && (isReleased = true),
      async send(content) {
        await recorded;
        throw content === 'row 1' ? rig.fault() : rig.rejected();
      },
    });
    const second = await rig.part(folder, input);
    expect([first.sent, second.sent]).toEqual([input.slice(1), input]);
  });

  it('while a release cannot be recorded: that row is unsure, as the next command finds it', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(3)];
    const ledger = await rig.openLedger(folder, { pid: 1_000, kill: () => true });
    // The next command has taken its place.
    onTestFinished(() => ledger.close().catch(() => {}));
    let isFull = false;
    const full = () => Promise.reject(rig.failure('configuration'));
    const shared: Ledger = {
      ...ledger,
      claim(...given) {
        isFull ||= (given[2] ?? []).length > 0;
        return isFull ? full() : ledger.claim(...given);
      },
      settle: () => ((isFull = true), full()),
      close: async () => {},
    };
    const first = await rig.part(folder, input, {
      shared,
      concurrency: 1,
      isLimited: async () => true,
    });
    expect([first.stopped?.exit, rig.numbersOf(first, 'unsure')]).toEqual(['configuration', [1]]);
    const second = await rig.part(folder, input, { pid: 1_001, kill: (pid) => pid !== 1_000 });
    expect([second.sent, second.counts.unsure]).toEqual([['row 2', 'row 3'], 1]);
  });

  it('if its input cannot be read to the end', async () => {
    const input = rig.numbered(14);
    const ended = await rig.part(rig.stateFolder(), input, {
      async *rows(due) {
        yield* rig.batchesOf(due);
        throw rig.failure('usage');
      },
    });
    expect(ended.counts.done + ended.counts.left).toBe(14);
    expect(ended).toMatchObject({ counts: { unsure: 0 }, stopped: { exit: 'usage' } });
  });

  it('on a bug, and records all known outcomes', async () => {
    const [folder, input] = [rig.stateFolder(), rig.numbered(50)];
    const send = async (content: string) => {
      if (content === 'row 10') throw new TypeError('a bug');
    };
    await expect(rig.part(folder, input, { concurrency: 1, send })).rejects.toThrow('a bug');
    const { sent, counts } = await rig.part(folder, input);
    expect(sent).toEqual(input.slice(10));
    expect(counts).toEqual({ done: 49, failed: 0, unsure: 1, left: 0 });
  });
});

describe('a run that stops at its last row', () => {
  it.each(['done', 'failed'] as const)('is finished if that row is %s', async (outcome) => {
    const [stop, input] = [new AbortController(), rig.numbered(30)];
    const send = async (content: string) => {
      if (content !== 'row 30') return;
      stop.abort('SIGINT');
      if (outcome === 'failed') throw rig.rejected();
    };
    const { counts, stopped } = await rig.part(rig.stateFolder(), input, {
      send,
      signals: { stop: stop.signal, leave: never },
    });
    expect([counts.left, stopped]).toEqual([0, undefined]);
  });

  it('because of its errors is finished, since no row was left', async () => {
    const send = async () => {
      throw rig.rejected();
    };
    const { counts, stopped } = await rig.part(rig.stateFolder(), rig.numbered(3), { concurrency: 1, send });
    expect([counts.failed, stopped]).toEqual([3, undefined]);
  });

  it('is not finished if that row was not sent', async () => {
    const send = rig.answering({ 'row 30': () => rig.failure('interrupted', 'no') });
    const { counts, stopped } = await rig.part(rig.stateFolder(), rig.numbered(30), { send });
    expect([counts.left, stopped?.exit]).toEqual([1, 'interrupted']);
  });
});

it('a run whose ledger was removed sends nothing more', async () => {
  posixOnly('an open file cannot be removed');
  const [folder, input] = [rig.stateFolder(), rig.numbered(30)];
  const sent: string[] = [];
  const send = async (content: string) => {
    if (sent.push(content) === 10) rmSync(join(folder, 'old-local.db'));
  };
  const ended = await rig.part(folder, input, { concurrency: 2, send }).then(
    ({ stopped }) => stopped,
    (error: unknown) => error,
  );
  expect(ended).toMatchObject({ exit: expect.stringMatching(/^(unsafe|configuration)$/) });
  expect(sent.length).toBeLessThanOrEqual(11);
});

it('--retry-unsure sends unsure rows again, and no others', async () => {
  const [folder, input] = [rig.stateFolder(), rig.numbered(30)];
  const send = rig.answering({ 'row 7': rig.fault, 'row 8': rig.rejected });
  const first = await rig.part(folder, input, { send });
  const second = await rig.part(folder, input, { choice: { retryUnsure: 'always' } });
  expect([second.run, second.sent.toSorted()]).toEqual([first.run, ['row 7', 'row 8']]);
  expect(second.counts).toEqual({ done: 30, failed: 0, unsure: 0, left: 0 });
});

it('rows that failed before are sent last, and new failures of theirs do not stop the run immediately', async () => {
  const [folder, input] = [rig.stateFolder(), rig.numbered(10)];
  const send = rig.answering({ 'row 2': rig.rejected, 'row 5': () => rig.failure('keyRefused', 'no', 401) });
  await rig.part(folder, input, { concurrency: 1, send });
  const second = await rig.part(folder, input, { concurrency: 1 });
  expect(second.sent).toEqual([...input.slice(4), 'row 2']);
});

/** Options of a part that acts while this claim is under way. */
function duringClaim(number: number, act: () => void) {
  const ledger = { claim: (): never => expect.fail(), settle: (): never => expect.fail() };
  let claims = 0;
  return {
    ledger,
    onOpened({ ledger: opened }: { readonly ledger: Pick<Ledger, 'claim' | 'settle'> }) {
      Object.assign(ledger, {
        claim: async (...given: Parameters<Ledger['claim']>) => {
          const verdicts = await opened.claim(...given);
          if (++claims === number) act();
          for (let turn = 0; turn < 9; turn++) await new Promise(setImmediate);
          return verdicts;
        },
        settle: opened.settle,
      });
    },
  };
}

/** Options of a part whose first outcomes are recorded, but the ledger's answer is lost; acts just before that. */
function losingFirstOutcomes(act: () => void) {
  const ledger = { claim: (): never => expect.fail(), settle: (): never => expect.fail() };
  let calls = 0;
  return {
    ledger,
    onOpened({ ledger: opened }: { readonly ledger: Pick<Ledger, 'claim' | 'settle'> }) {
      Object.assign(ledger, {
        claim: opened.claim,
        settle: async (...given: Parameters<Ledger['settle']>) => {
          await opened.settle(...given);
          if (++calls > 1) return;
          act();
          for (let step = 0; step < 20; step++) await Promise.resolve();
          throw new CliError('network', 'unreachable', 'the answer was lost');
        },
      });
    },
  };
}
