import { onTestFinished } from 'vitest';
import { configFolder } from '../../src/session/folders.ts';
import { changeStore, withLogin } from '../../src/session/profiles/changes.ts';
import { serve } from '../client/servers.ts';
import { accountKeys } from '../support/api.ts';
import { binary, cleanEnv, temporaryHome } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import { type Cut, type DiskState, recordRun, type Trace } from '../support/power-cut.ts';
import { phoneOf, summaryIn, writePeople } from './batches-rig.ts';

const losses = ['dropped', 'zeroed', 'prefix', 'torn', 'holes', 'kept'] as const satisfies readonly Cut['unsynced'][];

/** How many cuts a test tries. */
export function cutsOf(long: number, short: number): number {
  return Number(process.env['BIZMSG_CUTS'] ?? (isLong ? long : short));
}

/** The states after that many cuts. The kinds of loss take turns. */
function statesOf(trace: Trace, cuts: number): readonly DiskState[] {
  const points = trace.cutPoints(cuts);
  return points.flatMap((point, number) => {
    const unsynced = losses[number % losses.length] ?? 'dropped';
    const write = trace.operations.findLastIndex((operation, at) => at < point && operation.do === 'write');
    return trace.statesAfterCut({ at: unsynced === 'torn' ? write + 1 : point, unsynced });
  });
}

/** The result of the same command after a power cut. Rows are row numbers. */
export interface Resumed {
  /** Describes it in failure messages. */
  readonly cut: string;
  readonly loss: Cut['unsynced'];
  /** Rows requested before the power cut. */
  readonly left: readonly number[];
  /** Rows that the second run sent. */
  readonly sent: readonly number[];
  /** Rows in both. */
  readonly repeated: readonly number[];
  readonly stderr: string;
  /** Undefined if the second run refused to continue. */
  readonly summary: { readonly done: number; readonly unsure: number } | undefined;
}

interface Batch {
  readonly cuts: number;
  /** A stored profile with a plan, or a key in the environment, which has no known plan. */
  readonly caller: 'profile' | 'environment';
}

/** The number of rows in the batch. */
export const rows = 20;

/** Records a batch with a live key, and runs the same command again in each state after a power cut. */
export async function batchAfterCuts({ caller, cuts }: Batch): Promise<readonly Resumed[]> {
  const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const home = emptyHome();
  const env = await envOf(caller, home, service.url);
  writePeople({ home }, rows);
  const flags = ['--batch', 'autumn', '--no-memory', '--at-most', String(rows), '-o', 'json'];
  const command = [binary, 'send-batch', 'welcome', 'people.csv', ...flags];
  const run = (folder: string, isBeforeCut: boolean) =>
    recordRun({ folder, command, env: cleanEnv(folder, env), isBeforeCut });
  const first = await run(home, true);
  if (first.code !== 0) throw new Error(`the batch failed: ${first.stderr}`);
  let recorded = first.requests.length;
  const resumed = await twoAtOnce(statesOf(first, cuts), async (state): Promise<Resumed> => {
    const folder = emptyHome();
    state.restoreTo(folder);
    const { code, stdout, stderr, requests } = await run(folder, false);
    recorded += requests.length;
    const left = rowsOf(first.requests.filter(({ at }) => at < state.at));
    const sent = rowsOf(requests);
    const repeated = left.filter((row) => sent.includes(row));
    const summary = code === 0 || code === 10 ? reported(stdout) : undefined;
    return { cut: nameOf(state), loss: state.unsynced, left, sent, repeated, stderr, summary };
  });
  if (recorded !== service.seen.length)
    throw new Error(`${recorded} requests were recorded, but the service got ${service.seen.length}`);
  return resumed;
}

async function envOf(
  caller: Batch['caller'],
  home: string,
  baseUrl: string,
): Promise<Readonly<Record<string, string>>> {
  const key = accountKeys.live;
  if (caller === 'environment') return { BIZMSG_API_KEY: key, BIZMSG_BASE_URL: baseUrl };
  const login = { baseUrl, key, plan: 'growth', isUsed: true } as const;
  await changeStore(configFolder({ env: {}, home }), (store) => withLogin(store, 'acme', login));
  return { BIZMSG_PROFILE: 'acme' };
}

function rowsOf(requests: Trace['requests']): readonly number[] {
  const all = Array.from({ length: rows }, (_, at) => at + 1);
  return requests.flatMap(({ body }) => all.filter((row) => body.includes(`"${phoneOf(row)}"`)));
}

function reported(stdout: string): Resumed['summary'] {
  const { sent, unsure } = summaryIn(stdout);
  return { done: Number(sent), unsure: Number(unsure) };
}

function nameOf({ at, unsynced, names }: DiskState): string {
  return `cut at ${at}, unsynced bytes ${unsynced}, ${names} names`;
}

/** Returns results in the order of the items. */
async function twoAtOnce<T, U>(items: readonly T[], act: (item: T) => Promise<U>): Promise<readonly U[]> {
  const results: U[] = [];
  const left = [...items.entries()];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await act(next[1]);
  };
  await Promise.all([lane(), lane()]);
  return results;
}

function emptyHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}
