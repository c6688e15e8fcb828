import { CliError } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type KnownPace, minuteLength } from '../client/pace.ts';
import { canReach } from '../client/transport.ts';
import type { Plan } from '../contract/plans.ts';
import { refuseAgent } from './agents.ts';
import { prepareTarget, openConnection, transportOptionsFor, tryLookup } from './connect.ts';
import { pausedPace, planOf, batchPace } from './pace.ts';
import { expireDaily } from '../store/retention.ts';
import { isClockRight } from './clock.ts';
import { openRecord } from './record.ts';
import { limitsOf, minimumDuration, paceOf } from './rate.ts';
import { noteHarmless } from './send-once.ts';
import { teamOf } from './team.ts';
import type { Caller } from './caller.ts';
import type {
  BatchClient,
  BatchOptions,
  BatchRecord,
  CheckedTarget,
  Connection,
  BatchTarget,
  Sender,
  Session,
  StopSignals,
} from './session.ts';

interface Opened {
  readonly checkedTarget: CheckedTarget;
  readonly batchClient: BatchClient;
  readonly connection: Pick<Connection, 'simulated' | 'mode' | 'close'>;
}

export async function openBatchClient(session: Session, caller: Caller, signals: StopSignals): Promise<Opened> {
  const { host } = session;
  const checkedTarget = await prepareTarget(session, caller);
  const { simulated, target } = checkedTarget;
  const plan = await planOf(session, checkedTarget);
  // A sandbox on this machine has the same clock.
  let skew = simulated ? 0 : undefined;
  const onTime = (time: number) => {
    if (skew === undefined && !Number.isNaN(time)) skew = time - host.now();
  };
  let record: Promise<BatchRecord> | undefined;
  const senders: { close(): Promise<void> }[] = [];
  const batchClient: BatchClient = {
    target: targetOf(session, checkedTarget, plan),
    record: async () => {
      refuseAgent(session, checkedTarget);
      return (record ??= openRecord(session, checkedTarget));
    },
    async connect(options) {
      const opened = await openSender(session, checkedTarget, { ...options, plan, caller, signals, onTime });
      senders.push(opened);
      return opened.sender;
    },
    noteHarmless: (isMessage) => noteHarmless(session, checkedTarget, isMessage),
    skew: () => skew,
  };
  const close = async () => {
    await Promise.all(senders.map((sender) => sender.close()));
    await closeRecord(session, await record?.catch(() => undefined), skew);
  };
  return { checkedTarget, batchClient, connection: { simulated, mode: target.mode, close } };
}

interface SenderOptions extends BatchOptions {
  readonly plan: Plan;
  readonly caller: Caller;
  readonly signals: StopSignals;
  onTime(time: number): void;
}

async function openSender(session: Session, checkedTarget: CheckedTarget, options: SenderOptions) {
  const { rate, closedFor, connections = mostConnections, plan, caller, signals, onTime } = options;
  const { host } = session;
  const known = isUnknownLive(checkedTarget, plan) && !rate ? carefulPace : paceOf(rate, plan);
  if (known === carefulPace) session.note('careful-pace', carefulText(caller));
  const limits = limitsOf(known, plan);
  const pace = batchPace(session, checkedTarget, limits);
  const { client, sendOnce, close } = await openConnection(session, checkedTarget, {
    onTime,
    connections,
    signal: signals.leave,
    pace: closedFor ? pausedPace(pace, closedFor, host.later) : pace,
    isBatch: true,
    // The progress shows waits.
    onWait: () => {},
  });
  const sender: Sender = {
    pace: {
      known,
      limit: limits[0],
      minimumDuration: (requests) => minimumDuration(limits, requests),
      waiting: pace.waiting,
    },
    prepare: client.prepare,
    exchange: client.exchange,
    sendOnce,
    // Looking something up sends nothing, so it need not wait for the hours.
    tryLookup: (look) => tryLookup(session, checkedTarget, { pace, stop: signals.stop, onTime }, look),
    reachable: () => canReach(transportOptionsFor(session, checkedTarget.target), signals.stop),
  };
  return {
    sender,
    async close() {
      await pace.close();
      await close();
    },
  };
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

function targetOf(session: Session, checkedTarget: CheckedTarget, plan: Plan): BatchTarget {
  const { caller, target, simulated } = checkedTarget;
  const address = caller.kind === 'local' ? 'local' : target.baseUrl.replace(/\/+$/, '');
  const hasTeam = teamOf(session, checkedTarget) !== undefined;
  return { address, mode: target.mode, simulated, hasTeam, plan };
}
