import { type CliError, unsafe } from '../base/errors.ts';
import { type Accepted, type Fate, fateAt, fates, type Ledger, type Plan, type Registered } from '../ledger/ledger.ts';
import type { OpenedLedger } from '../session/session.ts';
import type { Preflight } from './preflight.ts';

/**
 * A team's ledger does not know what this machine sent before the team was set, so its own ledger is asked first. It
 * has digests of another secret.
 */
export function withOwnLedger(
  { ledger, own }: Pick<OpenedLedger, 'ledger' | 'own'>,
  { ownInput }: Pick<Preflight, 'ownInput'>,
): Pick<Ledger, 'register'> {
  if (!own || !ownInput) return ledger;
  return {
    async register(plan): Promise<Registered> {
      const choice = { ...plan.choice, atMost: undefined };
      const rehearsal = { ...plan, choice, account: own.account, input: ownInput, isRehearsal: true };
      const before = await own.ledger.register(rehearsal);
      if (before.stop?.reason === 'sent-before') return before;
      if (before.stop) throw unfinished('run' in before.stop ? before.stop.run : '');
      const isOpen = before.continues && before.counts.due + before.counts.retry + before.counts.later > 0;
      if (isOpen && plan.job === undefined) throw unfinished(before.run);
      return registerOthers(ledger, plan, before);
    },
  };
}

/** Registers the rows that this machine has not sent. */
async function registerOthers(
  ledger: Pick<Ledger, 'register' | 'withdraw'>,
  plan: Plan,
  before: Accepted,
): Promise<Registered> {
  const isSent = (row: number) => sent.has(fateAt(before.fates, row));
  const hasSent = before.fates.some((_, row) => isSent(row));
  if (!hasSent) return withNotes(await ledger.register(plan), before);
  const unlimited = { ...plan, choice: { ...plan.choice, atMost: undefined } };
  const foreseen = await ledger.register({ ...unlimited, isRehearsal: true });
  if (foreseen.stop) return foreseen;
  const { counts } = leavingOut(foreseen, before.fates);
  const due = counts.due + counts.retry;
  if (due > (plan.choice.atMost ?? Infinity)) return { stop: { reason: 'too-many', rows: due }, notes: [] };
  const registered = await ledger.register(unlimited);
  if (registered.stop) return registered;
  const rest = withNotes(leavingOut(registered, before.fates), before);
  if (plan.isRehearsal) return rest;
  const changed = Array.from(rest.fates.keys()).filter((row) => rest.fates[row] !== registered.fates[row]);
  if (changed.length > 0)
    await ledger.withdraw({ run: registered.run, rows: changed.map((row) => plan.input.read(row)) });
  return rest;
}

/** With what this machine's own ledger says about the rows. */
function withNotes<R extends Registered>(registered: R, { notes }: Accepted): R {
  const more = notes.filter(
    ({ note }) => note === 'unsure-before' || note === 'would-stop' || note === 'imported-before',
  );
  return { ...registered, notes: [...registered.notes, ...more] };
}

/** Fates of rows that this machine has sent, or may have sent. */
const sent: ReadonlySet<Fate> = new Set(['done', 'unsure', 'earlier', 'changed']);
const open: ReadonlySet<Fate> = new Set(['due', 'retry', 'later']);

/** With these fates for the rows that would be sent although they were sent, or may have been. */
export function leavingOut(registered: Accepted, known: Uint8Array): Accepted {
  const merged = registered.fates.slice();
  const counts = { ...registered.counts };
  merged.forEach((_, row) => {
    const [fate, own] = [fateAt(registered.fates, row), fateAt(known, row)];
    if (!open.has(fate) || !sent.has(own)) return;
    merged[row] = fates.indexOf(own);
    counts[fate] -= 1;
    counts[own] += 1;
  });
  return { ...registered, fates: merged, counts };
}

function unfinished(run: string): CliError {
  return unsafe(
    'run-before-team',
    `run ${run}, which this machine began before it had the team, has these rows and is unfinished`,
    `nothing was sent; finish it with the same command and --no-team, or give it up: bizmsg runs close ${run}`,
  );
}
