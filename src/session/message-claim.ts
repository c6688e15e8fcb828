import type { BodyOf } from '../contract/endpoints.ts';
import type { Release } from '../client/pace.ts';
import { CliError, unsafe } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { claimTimer } from '../ledger/claim-timer.ts';
import { messageRow } from '../ledger/identity.ts';
import type { Settlement, SingleTerms, Verdict } from '../ledger/ledger.ts';
import { singlesOf } from '../ledger/run.ts';
import { isInteractive } from './caller.ts';
import type { CheckedTarget, ResendChoice, Session } from './session.ts';
import { openLedger } from './ledger.ts';

/** The claim of a live message in the ledger, so that it is not sent twice by accident. */
interface MessageClaim {
  /**
   * Claims the message for the request that has this slot. If the ledger does not grant it, returns the slot, waits for
   * the process that is sending the message or asks the user, and resolves to false: try again. Throws if it must not be
   * sent.
   */
  take(slot: Release): Promise<boolean>;
  /** It was not sent, and will be tried again. */
  release(): Promise<void>;
  /** Records the outcome, if the message is claimed. */
  close(outcome: Settlement): Promise<void>;
}

export interface MessageClaimOptions extends ResendChoice {
  readonly session: Session;
  readonly checkedTarget: CheckedTarget;
  readonly message: BodyOf<'sendTemplate'>;
}

/** Milliseconds to wait for another process that sends the same message. */
const maxWait = 60_000;
const pollInterval = 200;

export async function openMessageClaim(options: MessageClaimOptions): Promise<MessageClaim> {
  const { session, checkedTarget, message, again, retryUnsure } = options;
  const { ledger, account } = await openLedger(session, checkedTarget, 'message');
  const subject = { account, mode: 'live', kind: 'message', template: message.template } as const;
  const row = messageRow(ledger.secret, message);
  const run = singlesOf(subject);
  let terms: SingleTerms = { single: subject, again, retryUnsure };
  /** The number of the claimed row. */
  let item: number | undefined;
  let waitUntil: number | undefined;
  return {
    async take(slot) {
      const isExpired = claimTimer(session.host);
      let verdict: Verdict | undefined;
      let isGranted = false;
      try {
        verdict = await ledger.claimSingle(row, terms);
        item = verdict.verdict === 'yours' ? verdict.item : undefined;
        isGranted = item !== undefined && !isExpired();
      } finally {
        if (!isGranted) slot('unsent');
      }
      if (item === undefined) await refused(verdict);
      else if (!isGranted) await release();
      return isGranted;
    },
    release,
    close,
  };

  async function release(): Promise<void> {
    if (item !== undefined) await ledger.settle([{ run, item, outcome: 'release' }]);
    item = undefined;
  }

  /** The request is over, so a fault of the ledger must not replace its outcome. */
  async function close(outcome: Settlement): Promise<void> {
    try {
      await ledger.close(item === undefined ? [] : [{ run, item, outcome }]);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const effect = 'it is not recorded how this message ended, so it counts as unsure';
      if (item !== undefined) session.reporter.note('unrecorded', `${error.message}; ${effect}`);
    }
  }

  /** Resolves when another claim may be granted. */
  async function refused(verdict: Verdict | undefined): Promise<void> {
    const { steady, later } = session.host;
    if (verdict?.verdict === 'elsewhere') return confirm(`was sent ${ago(verdict.at)}`, { again: true });
    if (verdict?.verdict === 'unsure') return confirm(`may have been sent ${ago(verdict.at)}`, { retryUnsure: true });
    waitUntil ??= steady() + maxWait;
    if (verdict?.verdict === 'taken' && steady() >= waitUntil) throw inProgress(verdict);
    await sleep(pollInterval, later, session.host.signal);
  }

  async function confirm(what: string, choice: ResendChoice): Promise<void> {
    const { host, given, interaction } = session;
    if (!isInteractive(host, given)) throw refusal(what, choice);
    await interaction.confirm(`The same message ${what}. Send it again?`);
    terms = { ...terms, ...choice };
  }

  function ago(at: number): string {
    return agoText(session.host.now() - at);
  }
}

function refusal(what: string, { again }: ResendChoice): CliError {
  const message = `the same message ${what}; nothing was sent now`;
  if (again) return unsafe('sent-before', message, '--again sends it once more');
  const check = 'check whether it arrived (bizmsg runs list shows the runs of this machine)';
  return unsafe('sent-unsure', message, `${check}; --retry-unsure sends it again`);
}

function inProgress(verdict: Extract<Verdict, { readonly verdict: 'taken' }>): CliError {
  const message = `process ${verdict.owner.pid} has been sending the same message for more than ${maxWait / 1_000} s`;
  return unsafe('send-in-progress', message, 'run the same command again once it has ended');
}

function agoText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}
