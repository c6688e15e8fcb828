import { CliError } from '../base/errors.ts';
import { complete } from '../client/exchange.ts';
import { isMutation } from '../client/wire.ts';
import { type Settlement, settlementOf } from '../ledger/ledger.ts';
import type { MessageClaimOptions } from './message-claim.ts';
import { refuseAgent } from './agents.ts';
import { messageIn } from './request-facts.ts';
import { knownSecrets, refuseKeys } from './secrets.ts';
import type { CheckedTarget, SendOnce, Session } from './session.ts';

/** Slot, claim, send, settle: the way of every request that changes something and is not part of a run. */
export function createSendOnce(session: Session, checkedTarget: CheckedTarget): SendOnce {
  let isNoted = false;
  return async (exchange, choice = {}) => {
    const { request } = exchange;
    if (session.given.dryRun || !isMutation(request.method)) return complete(exchange);
    refuseAgent(session, checkedTarget);
    const message = await messageIn(request);
    if (message) refuseKeys([message.template, ...message.params], await knownSecrets(session));
    // A key of unknown mode counts as live.
    const isLive = checkedTarget.target.mode !== 'sandbox';
    const claim = message && isLive ? await openClaim({ session, checkedTarget, message, ...choice }) : undefined;
    let settlement: Settlement = 'release';
    try {
      for (;;) {
        const slot = await exchange.slot();
        if (claim && !(await claim.take(slot))) continue;
        if (!isNoted) noteHarmless(session, checkedTarget, message !== undefined);
        isNoted = true;
        const attempt = await exchange.send(slot);
        if (attempt.outcome === 'failed') throw attempt.error;
        if (attempt.outcome === 'done') {
          settlement = 'done';
          return attempt.answer;
        }
        await claim?.release();
      }
    } catch (error) {
      settlement = settlementOf(error);
      throw message ? withNextStep(error, checkedTarget) : error;
    } finally {
      await claim?.close(settlement);
    }
  };
}

/** Prints that nothing really happens; not for reads and dry runs. */
export function noteHarmless({ note }: Session, { target, simulated }: CheckedTarget, isMessage: boolean): void {
  const { host } = new URL(target.baseUrl);
  if (simulated) note('simulated', `simulated by the sandbox on this machine, ${host}; nothing is really sent`);
  else if (isMessage && target.mode === 'sandbox')
    note('sandbox-key', `with a sandbox key of ${host}, no message reaches a phone`);
}

/** Sandbox keys do not load the ledger. */
async function openClaim(options: MessageClaimOptions) {
  return (await import('./message-claim.ts')).openMessageClaim(options);
}

/** Adds the next step to an error after which the message may have been sent. */
function withNextStep(error: unknown, { simulated }: CheckedTarget): unknown {
  if (!(error instanceof CliError) || error.done !== 'unknown') return error;
  const list = simulated
    ? 'bizmsg sandbox messages shows what arrived there'
    : 'bizmsg runs list shows the runs of this machine';
  const next = `${list}; --retry-unsure sends it again`;
  return error.withHint(error.hint === undefined ? next : `${error.hint}\n${next}`);
}
