import { join } from 'node:path';
import type { OnDamage } from '../base/journal-lines.ts';
import { listRuns, type RunEntry } from '../ledger/file/runs.ts';
import {
  fateAt,
  fates,
  type Ledger,
  type Note,
  type Parts,
  type Plan,
  type Registered,
  type Settled,
} from '../ledger/ledger.ts';
import { remembered } from '../ledger/others.ts';
import { type LoggedRow, rowsIn } from './history.ts';
import { hasSent, registerRest } from './leaving-out.ts';
import { logFolder, logParts } from './log.ts';

interface TeamLedger {
  readonly ledger: Pick<Ledger, 'register' | 'claim' | 'settle'>;
  readonly parts: Pick<Parts, 'statesOf'>;
}

export interface OwnLogs {
  readonly stateFolder: string;
  readonly now: () => number;
  readonly onDamage: OnDamage;
  /** When the user accepted that the server of the team has lost data. */
  lossAcceptedAt(): Promise<number | undefined>;
}

/** Rows in one call to the server. */
const together = 1_000;
/** Milliseconds by which the clocks of this machine and of the server may differ. */
const skew = 3_600_000;

/**
 * After the server of a team has lost data, what this machine's logs have of the rows is recorded there again, so that
 * they are not sent once more.
 */
export function withOwnLogs(team: TeamLedger, logs: OwnLogs): Pick<Ledger, 'register'> {
  const { ledger } = team;
  return {
    async register(plan): Promise<Registered> {
      // A contact that is created again is the same one, and sandbox keys may send again.
      if (plan.choice.again || plan.kind === 'contact' || plan.mode === 'sandbox') return ledger.register(plan);
      const acceptedAt = await logs.lossAcceptedAt();
      if (acceptedAt === undefined) return ledger.register(plan);
      const { known, runOf } = sentBefore(logs, plan, acceptedAt);
      if (!hasSent(known)) return ledger.register(plan);
      return registerRest(ledger, plan, {
        known,
        isCertain: true,
        notes: (rows) => noteOf(rows, known, runOf),
        keep: (run, rows) => recordAgain(team, run, plan, known, rows),
      });
    },
  };
}

function noteOf(rows: readonly number[], known: Uint8Array, runOf: (row: number) => string): readonly Note[] {
  if (rows.length === 0) return [];
  const sent = rows.filter((row) => fateAt(known, row) === 'done').length;
  return [{ note: 'logged', sent, unsure: rows.length - sent, runs: [...new Set(rows.map(runOf))] }];
}

/** `done` and `unsure` for rows that the logs have as such, and the run that has each. */
function sentBefore({ stateFolder, now, onDamage }: OwnLogs, plan: Plan, acceptedAt: number) {
  const { input, job, choice } = plan;
  const known = new Uint8Array(input.count);
  const entries = listRuns(join(stateFolder, 'ledger')).filter((entry) => isOfPlan(entry, plan));
  const latest = new Uint32Array(input.count);
  const parts = entries.flatMap(({ run, updatedAt }, index) => {
    const isRecent = updatedAt > now() - remembered || job !== undefined;
    return logParts(logFolder(stateFolder, run), onDamage).map((part) => ({ index, isRecent, part }));
  });
  // The server knows what was sent since. The last outcome counts, but what was sent stays sent, unless it is forgotten.
  const counted = parts.filter(({ part }) => part.isAfterwards || part.at <= acceptedAt + skew);
  for (const { index, isRecent, part } of counted.sort((a, b) => a.part.at - b.part.at))
    for (const { digest, outcome } of rowsIn(part)) {
      // Another process dealt with a skipped row.
      if (digest === undefined || outcome === 'skipped') continue;
      const row = input.rowOf(Buffer.from(digest, 'base64'), 0);
      if (row === undefined || (fateAt(known, row) === 'done' && outcome !== 'forgotten')) continue;
      const isCounted = outcome === 'sent' ? isRecent : !choice.retryUnsure;
      known[row] = fates.indexOf(isCounted ? fateOf(outcome) : 'due');
      latest[row] = index;
    }
  return { known, runOf: (row: number) => entries[latest[row] ?? 0]?.run ?? '' };
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

/**
 * Sent rows count as sent, whatever the server has of them. Unsure ones only if the run has not tried them: another
 * machine may know more by now.
 */
async function recordAgain(
  { ledger, parts }: TeamLedger,
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
    const states = await parts.statesOf(run, unsure.map(input.read));
    const untried = unsure.filter((_, index) => (states[index] ?? 'planned') === 'planned');
    const verdicts = await ledger.claim(untried.map(input.read), { run, retryUnsure: false, ignoreOthers: true });
    const claimed = untried.filter((_, index) => verdicts[index]?.verdict === 'yours');
    const settled =
      (outcome: 'done' | 'unsure') =>
      (row: number): Settled => ({ run, row: input.read(row), outcome });
    await ledger.settle([...sent.map(settled('done')), ...claimed.map(settled('unsure'))]);
    recorded.push(...sent, ...claimed);
  }
  return recorded;
}
