import { CliError } from '../base/errors.ts';
import { complete } from '../client/exchange.ts';
import { isMutation } from '../client/wire.ts';
import type { Answer } from '../store/work.ts';
import { refuseAgent } from './agents.ts';
import type { ClaimOptions, MessageClaim } from './message-claim.ts';
import { hasRecord, recordOf, teamOf } from './record-file.ts';
import { answerOf, messageIdIn, messageIn, type Outgoing } from './request-facts.ts';
import { knownSecrets, refuseKeys } from './secrets.ts';
import type { CheckedTarget, SendOnce, Session } from './session.ts';

/** Guard, slot, claim, call, settle: the way of every request that changes something and is not part of a batch. */
export function createSendOnce(session: Session, checkedTarget: CheckedTarget): SendOnce {
  let isNoted = false;
  return async (exchange, { again = false, isTest = false } = {}) => {
    if (session.given.dryRun || !isMutation(exchange.request.method)) return complete(exchange);
    const outgoing = await messageIn(exchange.request);
    const claim = await guard({ session, checkedTarget, again: again || isTest, isTest }, outgoing);
    let answer: Answer = { kind: 'again' };
    try {
      for (;;) {
        const slot = await exchange.slot();
        if (claim && !(await claim.take(slot))) continue;
        if (!isNoted) noteHarmless(session, checkedTarget, outgoing !== undefined);
        isNoted = true;
        const attempt = await exchange.send(slot);
        if (attempt.outcome === 'failed') throw attempt.error;
        if (attempt.outcome === 'done') {
          answer = { kind: 'sent', messageId: messageIdIn(attempt.answer) };
          return attempt.answer;
        }
        await claim?.release();
      }
    } catch (error) {
      answer = answerOf(error);
      throw outgoing ? withNextStep(error, outgoing, checkedTarget) : error;
    } finally {
      await claim?.close(answer, exchange.time);
    }
  };
}

/** Refuses what must not be sent. A live message gets a claim. */
async function guard(options: ClaimOptions, outgoing: Outgoing | undefined): Promise<MessageClaim | undefined> {
  const { session, checkedTarget } = options;
  refuseAgent(session, checkedTarget);
  if (!outgoing) return undefined;
  const { message } = outgoing;
  if (message) refuseKeys([message.template, ...message.params], await knownSecrets(session));
  // A message with a sandbox key loads SQLite only if there may be opt-outs.
  const isKept = hasRecord(session, recordOf(checkedTarget)) || teamOf(session, checkedTarget) !== undefined;
  if (checkedTarget.target.mode === 'sandbox' && !isKept) return undefined;
  return (await import('./message-claim.ts')).openMessageClaim(options, outgoing);
}

/** Prints that nothing really happens; not for reads and dry runs. */
export function noteHarmless({ note }: Session, { target, simulated }: CheckedTarget, isMessage: boolean): void {
  const { host } = new URL(target.baseUrl);
  if (simulated) note('simulated', `simulated by the sandbox on this machine, ${host}; nothing is really sent`);
  else if (isMessage && target.mode === 'sandbox')
    note('sandbox-key', `with a sandbox key of ${host}, no message reaches a phone`);
}

/** Adds the next step to an error after which the message may have been sent. */
function withNextStep(error: unknown, { to = 'PHONE' }: Outgoing, { simulated, target }: CheckedTarget): unknown {
  if (!(error instanceof CliError)) return error;
  if (error.done !== 'unknown' && error.code !== 'sent-unsure') return error;
  // A failed call to the sandbox names its log already.
  const look = simulated
    ? [error.hint ?? 'bizmsg sandbox log shows what arrived there']
    : [error.hint, `bizmsg history ${to} shows what is known`, `bizmsg batches mark ${to} settles it`];
  // Nothing holds back a message with a sandbox key.
  const repeat = target.mode === 'sandbox' ? 'the same command' : '--again';
  const lines = [...look, `${repeat} sends it once more`];
  return error.withHint(lines.filter((line) => line !== undefined).join('\n'));
}
