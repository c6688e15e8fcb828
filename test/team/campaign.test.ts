import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import type { Running } from '../support/bin.ts';
import { isLong } from '../support/long-tests.ts';
import { missingBouncer, type PostgresServer, startBouncer } from '../support/postgres.ts';
import type { Service } from '../support/service.ts';
import { commit, openProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import * as rig from './rig.ts';
import type { Machine, Team } from './rig.ts';

/** `bench/kills.mjs` runs more. */
const kills = Number(process.env['BIZMSG_KILLS'] ?? (isLong ? 10 : 5));
const seed = Number(process.env['BIZMSG_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** Requests between two kills. */
const mostBetween = 40;
const rowsFor = (count: number) => 60 * count;

/** Machines: two of one boot, where a dead process is noticed immediately, and a third without the file. */
const machines = [
  { boot: 'aaaaaaaa-aaaa', hasFile: true },
  { boot: 'aaaaaaaa-aaaa', hasFile: true },
  { boot: 'bbbbbbbb-bbbb', hasFile: false },
] as const;

interface Worker {
  readonly machine: Machine;
  readonly boot: string;
  readonly hasFile: boolean;
  running: Running | undefined;
  since: number;
}

/** The place of a campaign: machines, their server and the connection. */
interface Place {
  readonly rows: number;
  readonly team: Team;
  readonly proxy: TcpProxy;
  readonly workers: readonly Worker[];
  readonly random: () => number;
}

type Harm = (place: Place) => Promise<void>;

/** Mostly the process that works on the batch, which has run for the longest time. */
function victimOf({ workers, random }: Place): { readonly boot: string; readonly running: Running } | undefined {
  const busy = workers.flatMap(({ boot, since, running }) => (running ? [{ boot, since, running }] : []));
  const longest = busy.toSorted((one, other) => one.since - other.since)[0];
  return random() < 0.6 ? longest : busy[Math.floor(random() * busy.length)];
}

const killMachine: Harm = async (place) => {
  const victim = victimOf(place);
  if (!victim) return;
  await rig.kill(place.team.service, victim.running);
  await rig.silence(place.team, victim.boot);
};

/** A machine that is suspended, until another machine may have its batch. */
const suspend: Harm = async (place) => {
  const victim = victimOf(place);
  if (!victim) return;
  signal(victim.running, 'SIGSTOP');
  await rig.silence(place.team, victim.boot);
  await pause(place.random() * 1_000);
  signal(victim.running, 'SIGCONT');
};

function signal({ pid }: Running, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

const harms: Readonly<Record<string, Harm>> = {
  machine: killMachine,
  suspend,
  async server({ team }) {
    await team.server.kill();
    await team.server.start();
  },
  async backends({ team }) {
    team.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'bizmsg'");
  },
  async stall({ proxy, random }) {
    proxy.mode = 'stall';
    await pause(random() * 300);
    proxy.reset();
    proxy.mode = 'pass';
  },
  async reset({ proxy }) {
    proxy.reset();
  },
  async 'lost answer'({ proxy }) {
    proxy.cut = { at: commit, instead: 'answer' };
  },
  async 'lost commit'({ proxy }) {
    proxy.cut = { at: commit, instead: 'request' };
  },
};

describe.skipIf(rig.isMissing)(`three machines with one batch (seed ${seed})`, () => {
  it(`send it to everyone once, with ${kills} kills and faults`, { timeout: 3_600_000 }, async () => {
    const place = await openPlace(rowsFor(kills), await rig.ownPostgres());
    const all = Object.values(harms);
    const tally = await campaign(place, kills, (random) =>
      random < 0.5 ? killMachine : all[Math.floor(random * all.length)],
    );
    expect(tally).toEqual({ 1: rowsFor(kills) });
  });

  it.skipIf(missingBouncer !== undefined)(
    'send it to everyone once through PgBouncer in transaction mode',
    { timeout: 600_000 },
    async () => {
      const few = Math.ceil(kills / 2);
      const server = await rig.ownPostgres();
      const place = await openPlace(rowsFor(few), server, await startBouncer(server));
      const all = [killMachine, ...Object.values(harms)];
      const tally = await campaign(place, few, (random) => all[Math.floor(random * all.length)]);
      expect(tally).toEqual({ 1: rowsFor(few) });
    },
  );
});

async function openPlace(rows: number, server: PostgresServer, port = server.port): Promise<Place> {
  const random = createRandom(seed);
  const team = await rig.newTeam(() => ({ reply: 200, after: Math.floor(random() * 8) }), server);
  const proxy = await openProxy(port);
  const url = team.url.replace(String(server.port), String(proxy.port));
  const workers: Worker[] = [];
  for (const { boot, hasFile } of machines) {
    const machine = await team.machine({ url, boot });
    if (hasFile) rig.writePeople(machine, rows);
    workers.push({ machine, boot, hasFile, running: undefined, since: 0 });
  }
  return { rows, team, proxy, workers, random };
}

/** Lets machines work on a batch, harms them and what they use, and compares what the service got. */
async function campaign(place: Place, count: number, choose: (random: number) => Harm | undefined) {
  const { rows, team, workers, random } = place;
  const { service } = team;
  const over = new AbortController();
  const working = Promise.all(workers.map((worker) => work(worker, random, over.signal)));
  void working.catch(() => over.abort());
  for (let at = 0; at < count && !over.signal.aborted; at++) {
    await moment(service, service.asked.length + 1 + Math.floor(random() * mostBetween), over.signal);
    await choose(random())?.(place);
  }
  await moment(service, rows, over.signal, 2_000);
  over.abort();
  await working;
  await toTheEnd(place);
  const counts = { name: 'autumn', rows, sent: rows, waiting: 0, failed: 0, unsure: 0, not_sent: 0 };
  const [first] = workers;
  expect(await first?.machine.list(['batches', 'list'])).toEqual([expect.objectContaining(counts)]);
  return rig.tally(service);
}

/** Repeats its command: one process works on a batch, and the others are refused. */
async function work(worker: Worker, random: () => number, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const rate = random() < 0.5 ? 'none' : '12000/m';
    const isSending = worker.hasFile && random() < 0.5;
    const words = isSending ? rig.batch(worker.machine, '--rate', rate) : rig.resume('--rate', rate);
    worker.since = performance.now();
    worker.running = worker.machine.start(words);
    const { ended, stderr } = worker.running;
    const code = await ended;
    worker.running = undefined;
    expectExpected(code, stderr());
    await pause(code === 0 ? 500 : 100);
  }
}

/** Errors of a command while others work, or while the server starts. */
const expected = /^(batch-(changed|cut-off|taken|working)|database-unreachable|not-found)$/;

/** Killed, finished, or refused because another process has the batch, or has not loaded it. */
function expectExpected(code: number | null, stderr: string): void {
  if (code === null || code === 0 || code === 10) return;
  if (!stderr.includes('"error"')) throw new Error(`exit ${code} without an error: ${stderr}`);
  if (!expected.test(String(rig.errorIn(stderr)['code']))) throw new Error(`exit ${code}: ${stderr}`);
}

async function moment(service: Service, requests: number, over: AbortSignal, longest = 5_000): Promise<void> {
  const until = performance.now() + longest;
  while (service.asked.length < requests && !over.aborted && performance.now() < until) await pause(5);
}

/** Without faults, marking what is unsure. The machine without the file ends it. */
async function toTheEnd({ team, proxy, workers }: Place): Promise<void> {
  proxy.cut = undefined;
  for (const { boot } of workers) await rig.silence(team, boot);
  const [first, , last] = workers;
  if (!first || !last) return;
  for (;;) {
    for (const [{ machine }, words] of [
      [first, rig.batch(first.machine, '--first', '1')],
      [last, rig.resume()],
    ] as const) {
      const { code, stderr } = await machine.bin(words);
      expect({ code, stderr }).toMatchObject({ code: expect.toBeOneOf([0, 10]) });
    }
    if ((await rig.settleUnsure(first.machine, team.service)) === 0) return;
  }
}
