import { CliError, unsafe } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { isDead, workerName } from '../base/worker.ts';
import type { Release } from '../client/pace.ts';
import { singles } from '../store/batch.ts';
import { isOptedOut } from '../store/opt-outs.ts';
import { type Admitted, admitSingle } from '../store/single.ts';
import { type Answer, settle } from '../store/work.ts';
import { isInteractive } from './caller.ts';
import { openRecord } from './record.ts';
import type { Outgoing } from './request-facts.ts';
import type { BatchRecord, CheckedTarget, Session } from './session.ts';

/** The claim of a live message in the record, so that it is not sent twice by accident. */
export interface MessageClaim {
  /**
   * Claims the message for the request that has this slot. If that fails, returns the slot, asks the user and resolves to
   * false: try again. Throws if it must not be sent.
   */
  take(slot: Release): Promise<boolean>;
  /** It was not sent, and will be tried again. */
  release(): Promise<void>;
  /** Records the outcome, if the message is claimed. */
  close(answer: Answer): Promise<void>;
}

export interface MessageClaimOptions {
  readonly session: Session;
  readonly checkedTarget: CheckedTarget;
  readonly outgoing: Outgoing;
  /** Also sends what was sent shortly before, or may have been. */
  readonly again: boolean;
  readonly isTest: boolean;
}

/** Milliseconds from a claim to its request. Later, other machines might count this process as dead before it ends. */
const longestDelay = 25_000;

/** Refuses a message to a person who has opted out; returns the claim of a live one. */
export async function openMessageClaim(options: MessageClaimOptions): Promise<MessageClaim | undefined> {
  const { session, checkedTarget, outgoing, again } = options;
  const { to, message } = outgoing;
  const isLive = checkedTarget.target.mode !== 'sandbox';
  if (isLive && !message && !again) throw unreadable();
  const record = await openRecord(session, checkedTarget);
  const isClaimed = isLive && message !== undefined;
  try {
    // The claim asks itself.
    if (!isClaimed && to !== undefined && (await isOptedOut(record.database, record.account, to))) throw optedOut(to);
    return isClaimed ? createClaim(options, record, message) : undefined;
  } catch (error) {
    await record.close();
    throw error;
  } finally {
    if (!isClaimed) await record.close();
  }
}

type Message = NonNullable<Outgoing['message']>;
type Claim = Extract<Admitted, { readonly kind: 'admitted' }>['claim'];

function createClaim(
  { session, again, isTest }: MessageClaimOptions,
  record: BatchRecord,
  message: Message,
): MessageClaim {
  const { host, given, interaction, reporter } = session;
  const { account, mode, database } = record;
  const scope = { account, mode, kind: isTest ? 'test' : 'message', template: message.template } as const;
  const single = { scope, phone: message.to, body: jsonText(message), worker: workerName(host) };
  let isAgain = again;
  let claim: Claim | undefined;
  return { take, release: () => settled({ kind: 'again' }), close };

  async function take(slot: Release): Promise<boolean> {
    const isLate = timer();
    let admitted: Admitted | undefined;
    let isGranted = false;
    try {
      admitted = await admitSingle(database, { ...single, isAgain, now: host.now() });
      claim = admitted.kind === 'admitted' ? admitted.claim : undefined;
      isGranted = claim !== undefined && !isLate();
    } finally {
      if (!isGranted) slot('unsent');
    }
    if (!isGranted) await (claim ? settled({ kind: 'again' }) : refused(admitted));
    return isGranted;
  }

  /** Starts with a claim. Either clock may stand still or jump. */
  function timer(): () => boolean {
    const [time, moment] = [host.now(), host.steady()];
    return () => Math.max(host.now() - time, host.steady() - moment) > longestDelay;
  }

  async function settled(answer: Answer): Promise<void> {
    const { worker } = single;
    if (claim) await settle(database, { batch: singles, worker, claim, answer, now: host.now() });
    claim = undefined;
  }

  /** Resolves when another claim may be granted. */
  async function refused(admitted: Admitted): Promise<void> {
    if (admitted.kind === 'admitted') return;
    if (admitted.kind === 'opted out') throw optedOut(message.to);
    const { worker } = admitted;
    const isGone = worker !== undefined && isDead(worker, host);
    const before = { ...admitted, state: admitted.state === 'under way' && isGone ? 'unsure' : admitted.state };
    const when = whenText(before, host.now());
    if (!isInteractive(host, given)) throw refusal(before.state, `the same message ${when}; nothing was sent now`);
    await interaction.confirm(`The same message ${when}. Send it again?`);
    isAgain = true;
  }

  /** The request is over, so a fault of the record must not replace its outcome. */
  async function close(answer: Answer): Promise<void> {
    const isClaimed = claim !== undefined;
    try {
      await settled(answer);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const effect = 'it is not recorded how this message ended, so it counts as unsure';
      if (isClaimed) reporter.note('unrecorded', `${error.message}; ${effect}`);
    } finally {
      await record.close();
    }
  }
}

type Before = Extract<Admitted, { readonly kind: 'got it before' }>;

function refusal(state: Before['state'], message: string): CliError {
  if (state === 'unsure') return unsafe('sent-unsure', message);
  if (state === 'sent') return unsafe('sent-before', message, '--again sends it once more');
  return unsafe('send-in-progress', message, 'run the same command again once the other one has ended');
}

function whenText({ state, at, by }: Pick<Before, 'state' | 'at' | 'by'>, now: number): string {
  if (state === 'under way') return `is being sent by ${by === undefined ? 'another process' : `batch ${by}`}`;
  const what = state === 'sent' ? 'was sent' : 'may have been sent';
  return `${what} ${agoText(now - at)}${by === undefined ? '' : ` by batch ${by}`}`;
}

function agoText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}

function optedOut(phone: string): CliError {
  const hint = `nothing was sent; if they want messages again: bizmsg opt-outs remove ${phone}`;
  return unsafe('opted-out', `${phone} has opted out`, hint);
}

function unreadable(): CliError {
  const message = 'this request may send a message, and cannot be compared with what was sent';
  const hint =
    'nothing was sent; send-template sends a message, or api one with "to", "template" and "params" as texts';
  return unsafe('recipient-unknown', message, `${hint}; --again sends this one unchecked`);
}
