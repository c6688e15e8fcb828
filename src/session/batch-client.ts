import { CliError } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type KnownPace, minuteLength } from '../client/pace.ts';
import { canReach } from '../client/transport.ts';
import type { Plan } from '../contract/plans.ts';
import { refuseAgent } from './agents.ts';
import { prepareTarget, openConnection, transportOptionsFor, tryLookup } from './connect.ts';
import { pausedPace, planOf, runPace } from './pace.ts';
import { expireDaily } from '../store/retention.ts';
import { isClockRight } from './clock.ts';
import { openRecord } from './record.ts';
import { limitsOf, minimumDuration, paceOf } from './rate.ts';
import { noteHarmless } from './send-once.ts';
import type { Caller } from './caller.ts';
import type {
  BatchClient,
  BatchOptions,
  BatchRecord,
  CheckedTarget,
  Connection,
  RunTarget,
  Session,
} from './session.ts';

interface Opened {
  readonly checkedTarget: CheckedTarget;
  readonly connection: Connection;
  readonly batchClient: BatchClient;
}

/** `connections`: the most requests in flight. */
export async function openBatchClient(
  session: Session,
  caller: Caller,
  { connections = mostConnections, ...options }: BatchOptions & { readonly connections?: number } = {},
): Promise<Opened> {
  const { host } = session;
  const { rate, closedFor, signals = { stop: host.signal, leave: host.signal } } = options;
  const checkedTarget = await prepareTarget(session, caller);
  const plan = await planOf(session, checkedTarget);
  const isCareful = isUnknownLive(checkedTarget, plan) && !rate;
  const known = isCareful ? carefulPace : paceOf(rate, plan);
  if (known === carefulPace) session.note('careful-pace', carefulText(caller));
  const limits = limitsOf(known, plan);
  const [limit] = limits;
  const onWait = waitReporter(session);
  const pace = runPace(session, checkedTarget, limits);
  // A sandbox on this machine has the same clock.
  let skew = checkedTarget.simulated ? 0 : undefined;
  const onTime = (time: number) => {
    if (skew === undefined && !Number.isNaN(time)) skew = time - host.now();
  };
  const connection = await openConnection(session, checkedTarget, {
    onTime,
    connections,
    signal: signals.leave,
    pace: closedFor ? pausedPace(pace, closedFor, host.later) : pace,
    isRun: true,
    onWait,
  });
  let record: Promise<BatchRecord> | undefined;
  const batchClient: BatchClient = {
    target: targetOf(checkedTarget, plan),
    pace: {
      known,
      limit,
      minimumDuration: (requests) => minimumDuration(limits, requests),
      waiting: pace.waiting,
    },
    prepare: connection.client.prepare,
    record: async () => {
      refuseAgent(session, checkedTarget);
      return (record ??= openRecord(session, checkedTarget));
    },
    noteHarmless: (isMessage) => noteHarmless(session, checkedTarget, isMessage),
    // Looking something up sends nothing, so it need not wait for the hours.
    tryLookup: (look) => tryLookup(session, checkedTarget, { pace, stop: signals.stop, onTime }, look),
    skew: () => skew,
    reachable: () => canReach(transportOptionsFor(session, checkedTarget.target), signals.stop),
  };
  const close = async () => {
    await pace.close();
    await connection.close();
    await closeRecord(session, await record?.catch(() => undefined), skew);
  };
  return { checkedTarget, connection: { ...connection, close }, batchClient };
}

const mostConnections = 64;

/** Removes what is old, now that answers of the service have shown whether the clock is right. */
async function closeRecord({ host, given }: Session, record: BatchRecord | undefined, skew?: number): Promise<void> {
  if (!record) return;
  const isTidied = !given.dryRun && !host.signal.aborted && isClockRight(host.now(), skew);
  // The next command tries again.
  if (isTidied) await expireDaily(record.database, host.now()).catch(expected);
  await record.close();
}

function expected(error: unknown): void {
  if (!(error instanceof CliError)) throw error;
}

/** For a live batch if the plan is unknown: the pace of the smallest plan (§8). */
const carefulPace: KnownPace = { perWindow: 60, window: minuteLength };

function isUnknownLive({ target, simulated }: CheckedTarget, plan: Plan): boolean {
  return target.mode !== 'sandbox' && !simulated && plan.perMinute === undefined;
}

function carefulText(caller: Caller): string {
  const { profile, plan } = caller.kind === 'service' ? caller : {};
  // The name of an enterprise plan does not say its rate.
  const [what, option] = plan === undefined ? ['plan', '--plan NAME'] : [`rate of the ${plan} plan`, '--rate N/m'];
  const set = profile === undefined ? '' : `bizmsg profiles set ${shellQuote(profile)} ${option}, or `;
  return `the ${what} of this account is not known, so this live batch sends 60 a minute; ${set}--rate changes that`;
}

function targetOf({ caller, target }: CheckedTarget, plan: Plan): RunTarget {
  const address = caller.kind === 'local' ? 'local' : target.baseUrl.replace(/\/+$/, '');
  return { address, mode: target.mode, plan };
}

/** Milliseconds between two notes about the same repeated wait. */
const noteInterval = 30_000;
/** Milliseconds after which another wait counts as new. */
const mergeGap = 5_000;

/** Reports waits, at most one note in 30 s for the same wait. */
function waitReporter({ host, note }: Session): (milliseconds: number, why: string) => void {
  let [nextAt, waitsUntil] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (milliseconds, why) => {
    const now = host.now();
    // A wait that starts during the previous one, or soon after it, is the same wait.
    const isNew = now > waitsUntil + mergeGap;
    waitsUntil = Math.max(waitsUntil, now + milliseconds);
    if (now < nextAt && !isNew) return;
    nextAt = now + noteInterval;
    note('waiting', `${why}; going on in ${(milliseconds / 1000).toFixed(1)} s`);
  };
}
