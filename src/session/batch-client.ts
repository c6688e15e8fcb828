import { CliError } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type KnownPace, minuteLength } from '../client/pace.ts';
import { canReach } from '../client/transport.ts';
import type { Plan } from '../contract/plans.ts';
import { expireDaily } from '../store/retention.ts';
import { refuseAgent } from './agents.ts';
import type { Caller } from './caller.ts';
import { isClockRight } from './clock.ts';
import { openConnection, prepareTarget, transportOptionsFor } from './connect.ts';
import { batchPace, planOf } from './pace.ts';
import { type BatchRate, limitsOf, minimumDuration, paceOf } from './rate.ts';
import { openRecord } from './record.ts';
import { noteHarmless } from './send-once.ts';
import type { AnyCaller, BatchRecord, CheckedTarget, Session, StopSignals } from './session.ts';
import { teamOf } from './team.ts';

/** The record of what a batch sends, and its requests, until it is closed. */
export type BatchClient = Awaited<ReturnType<typeof openBatchClient>>;

/** Requests that keep the pace, wait after a 429, and leave network faults to the batch. */
export type Sender = Awaited<ReturnType<typeof openSender>>;

export type BatchPace = Sender['pace'];

interface SenderOptions {
  /** Default: 90 % of the plan's minute. If the plan is unknown: 60 a minute with a live key, otherwise no limit. */
  readonly rate?: BatchRate | undefined;
  /** The milliseconds for which nothing may be sent. */
  readonly closedFor?: (() => number) | undefined;
}

export async function openBatchClient(session: Session, caller: Caller, signals: StopSignals) {
  const { host } = session;
  const checkedTarget = await prepareTarget(session, caller);
  const plan = await planOf(session, checkedTarget);
  // A sandbox on this machine has the same clock.
  let skew = checkedTarget.simulated ? 0 : undefined;
  const onTime = (time: number) => {
    if (skew === undefined && !Number.isNaN(time)) skew = time - host.now();
  };
  let record: Promise<BatchRecord> | undefined;
  let sender: Sender | undefined;
  return {
    target: targetOf(session, checkedTarget, plan),
    /** The same each time. Refuses an AI agent with a live key. */
    async record(): Promise<BatchRecord> {
      refuseAgent(session, checkedTarget);
      return (record ??= openRecord(session, checkedTarget));
    },
    async connect(options: SenderOptions): Promise<Sender> {
      return (sender = await openSender(session, checkedTarget, { ...options, plan, signals, onTime }));
    },
    /** Says that nothing really happens, if that is so. */
    noteHarmless: (isMessage: boolean) => noteHarmless(session, checkedTarget, isMessage),
    /** Milliseconds by which the clock of the service is ahead; undefined until an answer has its time. */
    skew: () => skew,
    async close() {
      await sender?.close();
      const opened = await record?.catch(() => undefined);
      const mayTidy = !session.given.dryRun && !signals.stop.aborted && isClockRight(host.now(), skew);
      // Removes what is old, now that answers of the service have shown whether the clock is right. The next command tries
      // again.
      if (opened && mayTidy) await expireDaily(opened.database, host.now()).catch(expected);
      await opened?.close();
    },
  };
}

/** Identifies the target of a batch, without the key. */
function targetOf(session: Session, checkedTarget: CheckedTarget, plan: Plan) {
  const { caller, target, simulated } = checkedTarget;
  // The sandbox that the profile `local` means may change its port.
  const address = caller.kind === 'local' ? 'local' : target.baseUrl.replace(/\/+$/, '');
  const hasTeam = teamOf(session, checkedTarget) !== undefined;
  return { address, mode: target.mode, simulated, hasTeam, plan };
}

interface AllSenderOptions extends SenderOptions {
  readonly plan: Plan;
  readonly signals: StopSignals;
  onTime(time: number): void;
}

async function openSender(session: Session, checkedTarget: CheckedTarget, options: AllSenderOptions) {
  const { rate, closedFor, plan, signals, onTime } = options;
  const isCareful = isUnknownLive(checkedTarget, plan) && !rate;
  if (isCareful) session.note('careful-pace', carefulText(checkedTarget.caller));
  const limits = limitsOf(isCareful ? carefulPace : paceOf(rate, plan), plan);
  const pace = batchPace(session, checkedTarget, limits);
  const { client, sendOnce, tryLookup, close } = await openConnection(session, checkedTarget, {
    onTime,
    connections: 64,
    closedFor,
    signal: signals.leave,
    stop: signals.stop,
    pace,
    isBatch: true,
    // The progress shows waits.
    onWait: () => {},
  });
  return {
    pace: {
      /** The lowest one; undefined if nothing is known until the service answers 429. */
      limit: limits[0],
      /** The shortest time in milliseconds for a number of requests; undefined like `limit`. */
      minimumDuration: (requests: number) => minimumDuration(limits, requests),
      /** The milliseconds until the next request may be sent, if rows wait for the rate limit. */
      waiting: () => pace.waiting(),
    },
    prepare: client.prepare,
    exchange: client.exchange,
    sendOnce,
    tryLookup,
    /** Whether the service can be connected to. No request is sent. */
    reachable: () => canReach(transportOptionsFor(session, checkedTarget.target), signals.stop),
    close,
  };
}

function expected(error: unknown): void {
  if (!(error instanceof CliError)) throw error;
}

/** For a live batch if the plan is unknown: the pace of the smallest plan (§8). */
const carefulPace: KnownPace = { perWindow: 60, window: minuteLength };

function isUnknownLive({ target, simulated }: CheckedTarget, plan: Plan): boolean {
  return target.mode !== 'sandbox' && !simulated && plan.perMinute === undefined;
}

function carefulText(caller: AnyCaller): string {
  const { profile, plan } = caller.kind === 'service' ? caller : {};
  // The name of an enterprise plan does not say its rate.
  const [what, option] = plan === undefined ? ['plan', '--plan NAME'] : [`rate of the ${plan} plan`, '--rate N/m'];
  const set = profile === undefined ? '' : `bizmsg profiles set ${shellQuote(profile)} ${option}, or `;
  return `the ${what} of this account is not known, so this live batch sends 60 a minute; ${set}--rate changes that`;
}
