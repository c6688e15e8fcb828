import { join } from 'node:path';
import type { OnDamage } from '../base/journal-lines.ts';
import { listRuns, type RunEntry } from '../ledger/file/runs.ts';
import {
  fateAt,
  fates,
  type Ledger,
  type Plan,
  type Registered,
  type Settled,
  type Verdict,
} from '../ledger/ledger.ts';
import { remembered } from '../ledger/others.ts';
import { inFlight, type LoggedRow, rowsIn } from './history.ts';
import { hasSent, registerRest } from './leaving-out.ts';
import { logFolder, logParts } from './log.ts';

type TeamLedger = Pick<Ledger, 'register' | 'claim' | 'settle'>;

export interface OwnLogs {
  readonly stateFolder: string;
  readonly now: () => number;
  readonly onDamage: OnDamage;
  /** When the user accepted that the server of the team has lost data. */
  lossAcceptedAt(): Promise<number | undefined>;
}

/** Rows in one call to the server. */
const together = 1_000;

/**
 * After the server of a team has lost data, what this machine's logs have of the rows is recorded there again, so that
 * they are not sent once more.
 */
export function withOwnLogs(ledger: TeamLedger, logs: OwnLogs): Pick<Ledger, 'register'> {
  return {
    async register(plan): Promise<Registered> {
      // A contact that is created again is the same one, and sandbox keys may send again.
      if (plan.choice.again || plan.kind === 'contact' || plan.mode === 'sandbox') return ledger.register(plan);
      const acceptedAt = await logs.lossAcceptedAt();
      if (acceptedAt === undefined) return ledger.register(plan);
      const { known, runs } = sentBefore(logs, plan, acceptedAt);
      if (!hasSent(known)) return ledger.register(plan);
      return registerRest(ledger, plan, {
        known,
        notes: (rows) => (rows.length === 0 ? [] : [{ note: 'logged', rows: rows.length, runs }]),
        keep: (run, rows) => recordAgain(ledger, run, plan, known, rows),
      });
    },
  };
}

/** `done` and `unsure` for rows that the logs have as such, and the runs that have them. */
function sentBefore({ stateFolder, now, onDamage }: OwnLogs, plan: Plan, acceptedAt: number) {
  const { input, job, choice } = plan;
  const known = new Uint8Array(input.count);
  const runs = new Set<string>();
  const parts = listRuns(join(stateFolder, 'ledger'))
    .filter((entry) => isOfPlan(entry, plan))
    .flatMap((entry) => logParts(logFolder(stateFolder, entry.run), onDamage).map((part) => ({ entry, part })));
  // The last outcome counts, but what was sent once stays sent, unless it is forgotten.
  for (const { entry, part } of parts.sort((a, b) => a.part.at - b.part.at)) {
    const isRecent = entry.updatedAt > now() - remembered || job !== undefined;
    for (const { digest, outcome, code } of rowsIn(part)) {
      // Another process dealt with a skipped row; the server knows what is in flight now.
      if (digest === undefined || outcome === 'skipped' || (code === inFlight && part.at > acceptedAt)) continue;
      const row = input.rowOf(Buffer.from(digest, 'base64'), 0);
      if (row === undefined || (fateAt(known, row) === 'done' && outcome !== 'forgotten')) continue;
      const isCounted = outcome === 'sent' ? isRecent : !choice.retryUnsure;
      known[row] = fates.indexOf(isCounted ? fateOf(outcome) : 'due');
      if (known[row] !== 0) runs.add(entry.run);
    }
  }
  return { known, runs: [...runs] };
}

/** Whether what the run has sent counts for these rows. */
function isOfPlan({ kind, mode, account, origin, job }: RunEntry, plan: Plan): boolean {
  const isSameAccount = account === plan.account.id && (origin ?? plan.account.origin) === plan.account.origin;
  const isSameJob = plan.job === undefined || job === plan.job;
  return kind === 'send-batch' && mode === plan.mode && isSameAccount && isSameJob;
}

function fateOf(outcome: LoggedRow['outcome']): 'done' | 'unsure' | 'due' {
  if (outcome === 'sent') return 'done';
  return outcome === 'unsure' ? 'unsure' : 'due';
}

/** Sent rows count as sent, whatever the server has of them; unsure ones only if it has nothing. */
async function recordAgain(
  ledger: TeamLedger,
  run: string,
  { input }: Plan,
  known: Uint8Array,
  rows: readonly number[],
): Promise<readonly number[]> {
  const recorded: number[] = [];
  for (let at = 0; at < rows.length; at += together) {
    const some = rows.slice(at, at + together);
    const sent = some.filter((row) => fateAt(known, row) === 'done');
    const unsure = some.filter((row) => fateAt(known, row) === 'unsure');
    const verdicts = await ledger.claim(unsure.map(input.read), { run, retryUnsure: false, ignoreOthers: true });
    const withVerdict = (wanted: Verdict['verdict']) =>
      unsure.filter((_, index) => verdicts[index]?.verdict === wanted);
    const granted = withVerdict('yours');
    const settled =
      (outcome: 'done' | 'unsure') =>
      (row: number): Settled => ({ run, row: input.read(row), outcome });
    await ledger.settle([...sent.map(settled('done')), ...granted.map(settled('unsure'))]);
    recorded.push(...sent, ...granted, ...withVerdict('unsure'));
  }
  return recorded;
}
