import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandbox } from '../../src/sandbox/remote/locator.ts';
import { type Asked, askOne, faultsIn, startReal } from '../sandbox/state/crashing.ts';
import { binary, cleanEnv } from '../support/bin.ts';
import { alive } from '../support/cli.ts';
import { type DiskState, noPowerCut, recordRun, type Trace } from '../support/power-cut.ts';
import { batchAfterCuts, cutsOf, emptyHome, nameOf, rows, statesOf, twoAtOnce } from './power-cut-rig.ts';

const timeout = 600_000;
const sandboxCuts = cutsOf(6, 5);

describe.skipIf(noPowerCut !== undefined)(`a power cut (${noPowerCut ?? 'on Linux'})`, () => {
  it.each([
    ['a profile with a plan', cutsOf(8, 5), 'profile'],
    ['a key in the environment, without a known plan,', cutsOf(8, 3), 'environment'],
  ] as const)('does not make a batch with %s repeat or lose a row (%i cuts)', { timeout }, async (_, cuts, caller) => {
    const resumed = await batchAfterCuts({ caller, cuts });
    expect(resumed.filter(({ repeated }) => repeated.length > 0)).toEqual([]);
    expect(resumed.filter(({ summary }) => !summary)).toEqual([]);
    for (const { cut, left, sent, summary } of resumed) {
      if (!summary) continue;
      const unsent = rows - new Set([...left, ...sent]).size;
      expect([cut, unsent <= summary.unsure, summary.done + summary.unsure]).toEqual([cut, true, rows]);
    }
    expect(resumed.some(({ left }) => left.length > 0 && left.length < rows)).toBe(true);
  });

  it(`leaves the sandbox with a prefix of what it recorded (${sandboxCuts} cuts)`, { timeout }, async () => {
    const asked: Asked = { phones: new Set(), contacts: new Map(), messages: new Set() };
    const trace = await recordedSandbox(asked);
    expect([trace.code, asked.messages.size]).toEqual([0, calls / 2]);
    const states = statesOf(trace, sandboxCuts);
    const restarted = await twoAtOnce(states, (state) => restartedFrom(state, trace, asked));
    const refused = restarted.filter(({ refusal }) => refusal !== undefined);
    expect(refused.filter(({ loss, refusal = '' }) => loss !== 'holes' || !damage.test(refusal))).toEqual([]);
    for (const { cut, kept, synced, faults, refusal } of restarted) {
      if (refusal !== undefined) continue;
      expect([cut, faults, kept]).toEqual([cut, [], [...asked.messages].slice(0, kept.length)]);
      expect([cut, kept.length >= synced]).toEqual([cut, true]);
    }
    expect(restarted.some(({ kept }) => kept.length > 0 && kept.length < calls / 2)).toBe(true);
  });
});

/** The error for a journal with a damaged line, caused by zeros in front of other lines. */
const damage = /"journal-damaged".*the line at byte \d+ has a wrong checksum/;

const calls = 300;

interface Restarted {
  readonly cut: string;
  readonly loss: DiskState['unsynced'];
  /** The ids of its messages, oldest first. */
  readonly kept: readonly string[];
  /** The number of messages that were synced before the power failed. */
  readonly synced: number;
  readonly faults: readonly string[];
  /** The reason why it did not start. */
  readonly refusal: string | undefined;
}

async function restartedFrom(state: DiskState, trace: Trace, asked: Asked): Promise<Restarted> {
  const home = emptyHome();
  state.restoreTo(home);
  const about = {
    cut: nameOf(state),
    loss: state.unsynced,
    synced: syncedMessages(state, trace),
    kept: [],
    faults: [],
  };
  try {
    const sandbox = await startReal(home);
    const faults = (await faultsIn(sandbox, asked)).filter((fault) => !fault.endsWith(' is lost'));
    const kept = (await sandbox.remote.ask('messages')).map(({ id }) => id);
    await sandbox.end();
    return { ...about, kept, faults, refusal: undefined };
  } catch (error) {
    return { ...about, refusal: String(error) };
  }
}

function syncedMessages(state: DiskState, trace: Trace): number {
  const surely = trace.statesAfterCut({ ...state, unsynced: 'dropped' }).find(({ names }) => names === state.names);
  const journal = surely?.files.get('.local/state/bizmsg/sandbox/journal.ndjson') ?? '';
  return journal.split('\n').filter((line) => line.includes('{"type":"message",')).length;
}

async function recordedSandbox(asked: Asked): Promise<Trace> {
  const home = emptyHome();
  return recordRun({
    folder: home,
    command: [binary, 'sandbox', 'start', '--port', '0', '-o', 'ndjson'],
    env: cleanEnv(home),
    during: async ({ pid, stdout }) => {
      await expect.poll(stdout, { interval: 10 }).toContain('"ready"');
      const locator = findSandbox(join(home, '.local/state/bizmsg'), () => true);
      if (!locator) throw new Error(`the sandbox did not start: ${stdout()}`);
      const sandbox = { url: locator.url, key: locator.keys.sandbox };
      for (let call = 0; call < calls; call++) await askOne(sandbox, asked);
      alive(pid, 'SIGTERM');
    },
  });
}
