import { shellQuote } from '../base/shell-quote.ts';
import { type KnownPace, minuteLength } from '../client/pace.ts';
import { canReach } from '../client/transport.ts';
import type { Plan } from '../contract/plans.ts';
import { refuseAgent } from './agents.ts';
import type { Caller } from './caller.ts';
import { openConnection, prepareTarget, transportOptionsFor } from './connect.ts';
import { batchPace, limitsOf, minimumDuration, paceOf, planOf } from './pace.ts';
import { openRecord, removeOld } from './record.ts';
import { noteHarmless } from './send-once.ts';
import type {
  AnyCaller,
  BatchClient,
  BatchRecord,
  CheckedTarget,
  Sender,
  SenderOptions,
  Session,
  StopSignals,
} from './session.ts';
import { teamOf } from './record-file.ts';

export async function openBatchClient(session: Session, caller: Caller, signals: StopSignals): Promise<BatchClient> {
  const { host } = session;
  const checkedTarget = await prepareTarget(session, caller);
  const plan = await planOf(checkedTarget);
  // A sandbox on this machine has the same clock.
  let skew = checkedTarget.simulated ? 0 : undefined;
  const onTime = (time: number) => {
    if (skew === undefined && !Number.isNaN(time)) skew = time - host.now();
  };
  let record: Promise<BatchRecord> | undefined;
  let sender: Sender | undefined;
  return {
    target: { mode: checkedTarget.target.mode, simulated: checkedTarget.simulated, plan },
    hasTeam: teamOf(session, checkedTarget) !== undefined,
    async record() {
      refuseAgent(session, checkedTarget);
      return (record ??= openRecord(session, checkedTarget));
    },
    async connect(options) {
      return (sender = await openSender(session, checkedTarget, { ...options, plan, signals, onTime }));
    },
    noteHarmless: (isMessage) => noteHarmless(session, checkedTarget, isMessage),
    skew: () => skew,
    async close() {
      await sender?.close();
      const opened = await record?.catch(() => undefined);
      const mayTidy = !session.given.dryRun && !signals.stop.aborted;
      if (opened && mayTidy) await removeOld(opened.database, host.now(), skew);
      await opened?.close();
    },
  };
}

interface AllSenderOptions extends SenderOptions {
  readonly plan: Plan;
  readonly signals: StopSignals;
  onTime(time: number): void;
}

async function openSender(session: Session, checkedTarget: CheckedTarget, options: AllSenderOptions): Promise<Sender> {
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
      limit: limits[0],
      minimumDuration: (requests: number) => minimumDuration(limits, requests),
      waiting: () => pace.waiting(),
    },
    prepare: client.prepare,
    exchange: client.exchange,
    sendOnce,
    tryLookup,
    reachable: () => canReach(transportOptionsFor(session, checkedTarget.target), signals.stop),
    close,
  };
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
