import { sleep } from './clock.ts';
import { crashed, decide, type Desk } from './decide.ts';
import type { Exchange, Gone, Reply } from './exchange.ts';
import type { Decision, Wait } from './faulty.ts';
import type { Ledger } from './ledger.ts';

interface Office {
  readonly desk: Desk;
  readonly ledger: Ledger;
  /** Aborted when the sandbox closes: nothing is recorded after that. */
  readonly closing: AbortSignal;
}

/** From the decision to its commit and the answer, for which only a fault has its caller wait. It never rejects. */
export function carryOut(exchange: Exchange, office: Office, gone?: Gone): Reply | Promise<Reply> {
  try {
    const decision = decide(exchange, office.desk);
    if (decision.wait) return slowly(decision, decision.wait, office, gone);
    office.ledger.commit(decision.changes);
    return decision.reply;
  } catch (error) {
    return crashed(office.desk, error);
  }
}

async function slowly(decision: Decision, wait: Wait, office: Office, gone?: Gone): Promise<Reply> {
  try {
    return await inTime(decision, wait, office, gone);
  } catch (error) {
    return crashed(office.desk, error);
  }
}

async function inTime(decision: Decision, { ms, act }: Wait, office: Office, gone?: Gone): Promise<Reply> {
  const { desk, ledger, closing } = office;
  const signal = gone ? AbortSignal.any([closing, gone()]) : closing;
  if (!act) {
    ledger.commit(decision.changes);
    await hasPassed(ms, signal);
    return decision.reply;
  }
  const { drawn = {} } = decision;
  desk.underway.add(drawn);
  const stayed = await hasPassed(ms, signal);
  desk.underway.delete(drawn);
  if (closing.aborted) return decision.reply;
  const { changes, reply } = stayed ? act(desk.clock.now()) : decision;
  ledger.commit(changes);
  return reply;
}

/** On the wall, since the sandbox's clock may stand still; false when nobody waits any more. */
function hasPassed(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, signal).then(
    () => true,
    () => false,
  );
}
