import { CliError, unsafe } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import { startAge } from '../base/host.ts';
import { profileOption } from '../base/shell-quote.ts';
import { isDead, workerName } from '../base/worker.ts';
import type { Release } from '../client/pace.ts';
import { singles } from '../store/batch.ts';
import { isOptedOut } from '../store/opt-outs.ts';
import { longestClaim } from '../store/schema.ts';
import { type Admitted, admitSingle } from '../store/single.ts';
import { type Answer, settle } from '../store/work.ts';
import { isInteractive } from './caller.ts';
import { openRecord, removeOld } from './record.ts';
import type { Outgoing } from './request-facts.ts';
import type { BatchRecord, CheckedTarget, Session } from './session.ts';

export interface ClaimOptions {
  readonly session: Session;
  readonly checkedTarget: CheckedTarget;
  /** Also sends what was sent shortly before, or may have been. */
  readonly again: boolean;
  readonly isTest: boolean;
}

/** Refuses a message to a person who has opted out; returns the claim of a live one. */
export async function openMessageClaim(
  options: ClaimOptions,
  { to, message }: Outgoing,
): Promise<MessageClaim | undefined> {
  const { session, checkedTarget, again } = options;
  const isLive = checkedTarget.target.mode !== 'sandbox';
  if (isLive && !message && !again) throw unreadable();
  const record = await openRecord(session, checkedTarget);
  if (isLive && message) return new MessageClaim(options, record, message);
  try {
    if (to !== undefined && (await isOptedOut(record.database, record.account, to))) throw optedOut(session, to);
    return undefined;
  } finally {
    await record.close();
  }
}

type Message = NonNullable<Outgoing['message']>;
type Claim = Extract<Admitted, { readonly kind: 'admitted' }>['claim'];

/** The claim of a live message in the record, so that it is not sent twice by accident. */
export class MessageClaim {
  readonly #session: Session;
  readonly #record: BatchRecord;
  readonly #single;
  readonly #hasOurClock: boolean;
  #isAgain: boolean;
  #claim: Claim | undefined;

  constructor({ session, checkedTarget, again, isTest }: ClaimOptions, record: BatchRecord, message: Message) {
    const { account, mode } = record;
    const scope = { account, mode, kind: isTest ? 'test' : 'message', template: message.template } as const;
    this.#session = session;
    this.#record = record;
    this.#single = { scope, phone: message.to, body: jsonText(message), worker: workerName(session.host) };
    this.#hasOurClock = checkedTarget.simulated;
    this.#isAgain = again;
  }

  /**
   * Claims the message for the request that has this slot. If that fails, returns the slot, asks the user and resolves to
   * false: try again. Throws if it must not be sent.
   */
  async take(slot: Release): Promise<boolean> {
    const { host } = this.#session;
    const age = startAge(host);
    let admitted: Admitted | undefined;
    let isGranted = false;
    try {
      admitted = await admitSingle(this.#record.database, {
        ...this.#single,
        isAgain: this.#isAgain,
        now: host.now(),
      });
      this.#claim = admitted.kind === 'admitted' ? admitted.claim : undefined;
      isGranted = this.#claim !== undefined && age() <= longestClaim;
    } finally {
      if (!isGranted) slot('unsent');
    }
    if (!isGranted) await (this.#claim ? this.release() : this.#refused(admitted));
    return isGranted;
  }

  /** It was not sent, and will be tried again. */
  release(): Promise<void> {
    return this.#settle({ kind: 'again' });
  }

  async #settle(answer: Answer): Promise<void> {
    const [claim, { worker }] = [this.#claim, this.#single];
    if (claim)
      await settle(this.#record.database, { batch: singles, worker, claim, answer, now: this.#session.host.now() });
    this.#claim = undefined;
  }

  /** Resolves when another claim may be granted. */
  async #refused(admitted: Admitted): Promise<void> {
    const { host, given, interaction } = this.#session;
    if (admitted.kind === 'admitted') return;
    if (admitted.kind === 'opted out') throw optedOut(this.#session, this.#single.phone);
    const { worker } = admitted;
    const isGone = worker !== undefined && isDead(worker, host);
    const before = { ...admitted, state: admitted.state === 'under way' && isGone ? 'unsure' : admitted.state };
    const when = whenText(before, host.now());
    if (!isInteractive(host, given)) throw refusal(before.state, `the same message ${when}; nothing was sent now`);
    await interaction.confirm(`The same message ${when}. Send it again?`);
    this.#isAgain = true;
  }

  /** Records the outcome. The request is over, so a fault of the record must not replace it. `time` is of the service. */
  async close(answer: Answer, time: number): Promise<void> {
    const isClaimed = this.#claim !== undefined;
    const now = this.#session.host.now();
    try {
      await this.#settle(answer);
      await removeOld(this.#record.database, now, this.#hasOurClock ? 0 : time - now);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const effect = 'it is not recorded how this message ended, so it counts as unsure';
      if (isClaimed) this.#session.reporter.note('unrecorded', `${error.message}; ${effect}`);
    } finally {
      await this.#record.close();
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

function optedOut({ given }: Session, phone: string): CliError {
  const remove = `bizmsg opt-outs remove ${phone}${profileOption(given.profile, given.mode)}`;
  const hint = `nothing was sent; if they want messages again: ${remove}`;
  return unsafe('opted-out', `${phone} has opted out`, hint);
}

function unreadable(): CliError {
  const message = 'this request may send a message, and cannot be compared with what was sent';
  const hint =
    'nothing was sent; send-template sends a message, or api one with "to", "template" and "params" as texts';
  return unsafe('recipient-unknown', message, `${hint}; --again sends this one unchecked`);
}
