import { type CliError, unsafe } from '../base/errors.ts';
import type { Accepted, Ledger, Note, Plan, Registered } from '../ledger/ledger.ts';
import type { OpenedLedger } from '../session/session.ts';
import { hasSent, registerRest } from './leaving-out.ts';
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
  const told = before.notes.filter(({ note }) => ofRows.has(note));
  if (!hasSent(before.fates)) {
    const registered = await ledger.register(plan);
    return { ...registered, notes: [...registered.notes, ...told] };
  }
  return registerRest(ledger, plan, {
    known: before.fates,
    isCertain: false,
    notes: () => told,
    async keep(run, rows) {
      if (rows.length > 0) await ledger.withdraw({ run, rows: rows.map((row) => plan.input.read(row)) });
      return rows;
    },
  });
}

/** What this machine's own ledger says about the rows. */
const ofRows: ReadonlySet<Note['note']> = new Set(['unsure-before', 'would-stop', 'imported-before']);

function unfinished(run: string): CliError {
  return unsafe(
    'run-before-team',
    `run ${run}, which this machine began before it had the team, has these rows and is unfinished`,
    `nothing was sent; finish it with the same command and --no-team, or give it up: bizmsg runs close ${run}`,
  );
}
