import type { BodyOf } from '../contract/endpoints.ts';
import type { SendHooks } from '../client/exchange.ts';
import { CliError, unsafe } from '../base/errors.ts';
import { sleep } from '../base/sleep.ts';
import { isRecord } from '../contract/readers.ts';
import {
  type Settled,
  type Settlement,
  settlementOf,
  type SingleTerms,
  singlesOf,
  type Verdict,
} from '../ledger/ledger.ts';
import { messageRow } from '../ledger/identity.ts';
import { isInteractive } from './profiles/environment.ts';
import type { CheckedTarget, Session } from './session.ts';
import { openLedger } from './ledger.ts';

/** Claims a live message in the ledger, so that it is not sent twice by accident. */
export interface DuplicateGuard extends SendHooks {
  /** Prompts before the request takes a rate-limit slot. */
  ask(): Promise<void>;
  answered(answer: unknown): void;
  failed(error: unknown): void;
  /** Records the outcome. */
  close(): Promise<void>;
}

export interface DuplicateGuardOptions {
  readonly session: Session;
  readonly checkedTarget: CheckedTarget;
  readonly message: BodyOf<'sendTemplate'>;
  readonly again: boolean;
  readonly retryUnsure: boolean;
}

/** Milliseconds to wait for another process that sends the same message. */
const maxWait = 60_000;
const pollInterval = 200;

export async function openDuplicateGuard({
  session,
  checkedTarget,
  message,
  again,
  retryUnsure,
}: DuplicateGuardOptions): Promise<DuplicateGuard> {
  const { ledger, account } = await openLedger(session, checkedTarget);
  const subject = { account, mode: 'live', kind: 'message', template: message.template } as const;
  const row = messageRow(ledger.secret, { mode: 'live', ...message });
  const run = singlesOf(subject);
  let terms: SingleTerms = { single: subject, again, retryUnsure };
  let isClaimed = false;
  let last: readonly Settled[] = [];
  const end = (outcome: Settlement) => {
    if (isClaimed) last = [{ run, row, outcome }];
  };
  return {
    ask: () => granted(async () => ledger.look(row, terms)),
    beforeSend: async () => {
      await granted(async () => (await ledger.claim([row], terms))[0]);
      isClaimed = true;
    },
    beforeRetry: async () => {
      isClaimed = false;
      await ledger.settle([{ run, row, outcome: 'release' }]);
    },
    answered: (answer) => end(outcomeOf(answer)),
    failed: (error) => end(settlementOf(error)),
    close,
  };

  /** The request is over, so a fault of the ledger must not replace its outcome. */
  async function close(): Promise<void> {
    try {
      await ledger.close(last);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      const effect = 'it is not recorded how this message ended, so it counts as unsure';
      if (last.length > 0) session.reporter.note('unrecorded', `${error.message}; ${effect}`);
    }
  }

  /** Resolves when the ledger permits the send. */
  async function granted(ask: () => Promise<Verdict | undefined>): Promise<void> {
    const until = session.host.steady() + maxWait;
    for (;;) {
      const verdict = await ask();
      if (verdict?.verdict === 'taken' && session.host.steady() < until) await sleep(pollInterval, session.host.later);
      else if (verdict?.verdict === 'elsewhere') await confirmAgain(verdict.at);
      else if (verdict?.verdict === 'yours') return;
      else throw refusal(session, verdict);
    }
  }

  async function confirmAgain(at: number): Promise<void> {
    const { host, given, interaction } = session;
    const text = `the same message was sent ${ago(host.now() - at)}`;
    if (!isInteractive(host, given))
      throw unsafe('sent-before', `${text}; nothing was sent now`, '--again sends it once more');
    await interaction.confirm(`${text[0]?.toUpperCase()}${text.slice(1)}. Send it again?`);
    terms = { ...terms, again: true };
  }
}

/** An observed answer may hold a failure. */
function outcomeOf(answer: unknown): Settlement {
  return isRecord(answer) && answer['failure'] instanceof CliError ? settlementOf(answer['failure']) : 'done';
}

function refusal({ host }: Session, verdict: Verdict | undefined): CliError {
  if (verdict?.verdict === 'taken') {
    const message = `process ${verdict.owner.pid} has been sending the same message for more than ${maxWait / 1_000} s`;
    return unsafe('send-in-progress', message, 'run the same command again once it has ended');
  }
  const when = verdict?.verdict === 'unsure' ? ` ${ago(host.now() - verdict.at)}` : '';
  return unsafe(
    'sent-unsure',
    `the same message may have been sent${when}; nothing was sent now`,
    'check whether it arrived (bizmsg activity lists the sends of this machine); --retry-unsure sends it again',
  );
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}
