import { join } from 'node:path';
import { namesIn } from '../base/files.ts';
import { type Fate, fateAt, fates, type Ledger, type Plan, type Registered, type Settled } from '../ledger/ledger.ts';
import { leavingOut } from './before-team.ts';
import { rowsOfRun } from './history.ts';
import { logParts } from './log.ts';

type RunLedger = Pick<Ledger, 'register' | 'claim' | 'settle'>;

/** Rows in one call to the server. */
const together = 1_000;

/**
 * After the server of a team has lost data, what this machine's logs have of the rows is recorded there again, so that
 * they are not sent once more.
 */
export function withOwnLogs(ledger: RunLedger, stateFolder: string): Pick<Ledger, 'register'> {
  return {
    async register(plan): Promise<Registered> {
      const known = plan.choice.again || plan.kind === 'contact' ? undefined : loggedFates(stateFolder, plan);
      if (!known) return ledger.register(plan);
      const unlimited = { ...plan, choice: { ...plan.choice, atMost: undefined } };
      const foreseen = await ledger.register({ ...unlimited, isRehearsal: true });
      if (foreseen.stop) return foreseen;
      const rest = leavingOut(foreseen, known);
      const due = rest.counts.due + rest.counts.retry;
      if (due > (plan.choice.atMost ?? Infinity)) return { stop: { reason: 'too-many', rows: due }, notes: [] };
      if (plan.isRehearsal) return rest;
      const registered = await ledger.register(unlimited);
      if (registered.stop) return registered;
      await recordAgain(ledger, registered.run, plan, known);
      return { ...leavingOut(registered, known), notes: registered.notes };
    },
  };
}

/** `done` and `unsure` for the rows that the logs have as such; undefined without any. */
function loggedFates(stateFolder: string, { input, choice }: Plan): Uint8Array | undefined {
  const codes = new Uint8Array(input.count);
  const folder = join(stateFolder, 'runs');
  for (const run of namesIn(folder))
    for (const { digest, outcome } of rowsOfRun(logParts(join(folder, run), () => {}))) {
      const fate = outcome === 'sent' ? 'done' : outcome === 'unsure' && !choice.retryUnsure ? 'unsure' : undefined;
      const row =
        digest === undefined || fate === undefined ? undefined : input.rowOf(Buffer.from(digest, 'base64'), 0);
      if (row !== undefined && fate !== undefined && fateAt(codes, row) !== 'done') codes[row] = fates.indexOf(fate);
    }
  return codes.some((code) => code !== 0) ? codes : undefined;
}

/** Claimed as if they were sent now; the outcome is that of the log. */
async function recordAgain(ledger: RunLedger, run: string, { input }: Plan, known: Uint8Array): Promise<void> {
  const rows = Array.from(known.keys()).filter((row) => known[row] !== 0);
  for (let at = 0; at < rows.length; at += together) {
    const some = rows.slice(at, at + together);
    const verdicts = await ledger.claim(some.map(input.read), { run, retryUnsure: false, ignoreOthers: true });
    const granted = some.filter((_, index) => verdicts[index]?.verdict === 'yours');
    await ledger.settle(granted.map((row): Settled => settledAs(run, input, row, fateAt(known, row))));
  }
}

function settledAs(run: string, input: Plan['input'], row: number, fate: Fate): Settled {
  return { run, row: input.read(row), outcome: fate === 'unsure' ? 'unsure' : 'done' };
}
