import type { BodyOf } from '../contract/endpoints.ts';
import type { Departure } from '../client/exchange.ts';
import { type CliError, unsafe } from '../base/errors.ts';
import { type Outcome, type SingleRule, singlesOf, type Verdict } from '../ledger/ledger.ts';
import type { AnyCaller, Approached, Line } from './approached.ts';
import { openLedger } from './ledger.ts';

/** A message with a live key, which is not sent twice by accident. */
export interface Once extends Departure {
  /** Before it waits for its turn: a person who thinks about the answer keeps nobody waiting. */
  ask(): Promise<void>;
  settle(outcome: Outcome): Promise<void>;
  close(): Promise<void>;
}

export interface OnceOptions {
  readonly line: Line;
  readonly caller: AnyCaller;
  readonly approached: Approached;
  readonly message: BodyOf<'sendTemplate'>;
  readonly again: boolean;
  readonly retryUnsure: boolean;
}

/** Milliseconds for which the same message, sent by another process, is waited for. */
const longestWait = 60_000;
const pause = 200;

export async function openOnce({ line, caller, approached, message, again, retryUnsure }: OnceOptions): Promise<Once> {
  const opened = await openLedger(line, caller, approached);
  const { messageRow } = await import('../ledger/identity.ts');
  const { ledger, account } = opened;
  const subject = { account, mode: 'live', kind: 'message', template: message.template } as const;
  const row = messageRow(ledger.secret, { mode: 'live', ...message });
  const run = singlesOf(subject);
  let rule: SingleRule = { single: subject, again, retryUnsure };
  let isClaimed = false;
  const settle = async (outcome: Outcome) => {
    if (!isClaimed) return;
    isClaimed = false;
    await ledger.settle([{ run, row, outcome }]);
  };
  return {
    ask: () => granted(async () => ledger.look(row, rule)),
    leaving: async () => {
      await granted(async () => (await ledger.claim([row], rule))[0]);
      isClaimed = true;
    },
    waits: () => void settle('release'),
    settle,
    close: opened.close,
  };

  /** Resolves once the ledger grants it; asks, waits, or throws. */
  async function granted(ask: () => Promise<Verdict | undefined>): Promise<void> {
    const until = line.host.steady() + longestWait;
    for (;;) {
      const verdict = await ask();
      if (verdict?.verdict === 'taken' && line.host.steady() < until) await wait(line);
      else if (verdict?.verdict === 'elsewhere') await confirmAgain(verdict.at);
      else if (verdict?.verdict === 'yours') return;
      else throw refusal(line, verdict);
    }
  }

  async function confirmAgain(at: number): Promise<void> {
    const [{ isInteractive }, { createPrompts }] = await Promise.all([import('./caller.ts'), import('./prompts.ts')]);
    const { host, given } = line;
    const text = `the same message was sent ${ago(host.now() - at)}`;
    if (!isInteractive(host, given))
      throw unsafe('sent-before', `${text}; nothing was sent now`, '--again sends it once more');
    await createPrompts(host, { ...given, yes: false }).confirm(
      `${text[0]?.toUpperCase()}${text.slice(1)}. Send it again?`,
    );
    rule = { ...rule, again: true };
  }
}

function wait({ host }: Line): Promise<void> {
  return new Promise((resolve) => void host.later(pause, resolve));
}

function refusal({ host }: Line, verdict: Verdict | undefined): CliError {
  if (verdict?.verdict === 'taken') {
    const message = `process ${verdict.owner.pid} has been sending the same message for more than ${longestWait / 1_000} s`;
    return unsafe('send-in-progress', message, 'run the same command again once it has ended');
  }
  const when = verdict?.verdict === 'unsure' ? ` ${ago(host.now() - verdict.at)}` : '';
  return unsafe(
    'sent-unsure',
    `the same message may have been sent${when}; nothing was sent now`,
    'find out whether it arrived: bizmsg activity lists what was sent from here; --retry-unsure sends it again',
  );
}

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}
