import type { RunEntry } from '../ledger/file/runs.ts';
import { type Fate, fateAt, fates, type Ledger, type Plan, type Registered, type Settled } from '../ledger/ledger.ts';
import { remembered } from '../ledger/others.ts';
import { type LoggedRow, rowsIn } from './history.ts';
import { hasSent, registerRest } from './leaving-out.ts';
import { logFolder, logParts } from './log.ts';

type TeamLedger = Pick<Ledger, 'register' | 'claim' | 'settle'>;

export interface OwnLogs {
  readonly stateFolder: string;
  /** The runs that this machine remembers. */
  readonly runs: readonly RunEntry[];
  /** When the user accepted that the server of the team has lost data. */
  readonly lossAcceptedAt: number;
  readonly now: number;
}

/** Rows in one call to the server. */
const together = 1_000;
/** Milliseconds by which the clocks of this machine and of the server may differ. */
const skew = 3_600_000;

/**
 * After the server of a team has lost data, what this machine's logs have of the rows is recorded there again, so that
 * they are not sent once more.
 */
export function withOwnLogs(ledger: TeamLedger, logs: OwnLogs): Pick<Ledger, 'register'> {
  return {
    async register(plan): Promise<Registered> {
      // A contact that is created again is the same one, and sandbox keys may send again.
      if (plan.choice.again || plan.kind === 'contact' || plan.mode === 'sandbox') return ledger.register(plan);
      const { known, runs } = sentBefore(logs, plan);
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
function sentBefore(logs: OwnLogs, { account, job, input, choice }: Plan) {
  const known = new Uint8Array(input.count);
  const runs: string[] = [];
  for (const entry of logs.runs) {
    const isOther = entry.mode !== 'live' || entry.account !== account.id || (job !== undefined && entry.job !== job);
    if (isOther || entry.startedAt > logs.lossAcceptedAt + skew) continue;
    const isRecent = entry.updatedAt > logs.now - remembered || job !== undefined;
    const own = fatesIn(logs.stateFolder, entry.run, input);
    let isNamed = false;
    for (let row = 0; row < input.count; row++) {
      const fate = fateAt(own, row);
      if (!(fate === 'done' ? isRecent : fate === 'unsure' && !choice.retryUnsure)) continue;
      isNamed = true;
      if (fateAt(known, row) !== 'done') known[row] = fates.indexOf(fate);
    }
    if (isNamed) runs.push(entry.run);
  }
  return { known, runs };
}

/** The last outcome of each row counts. */
function fatesIn(stateFolder: string, run: string, input: Plan['input']): Uint8Array {
  const found = new Uint8Array(input.count);
  for (const part of logParts(logFolder(stateFolder, run), () => {}))
    for (const { digest, outcome } of rowsIn(part)) {
      // Another process of the run dealt with a skipped row.
      const row =
        digest === undefined || outcome === 'skipped' ? undefined : input.rowOf(Buffer.from(digest, 'base64'), 0);
      if (row !== undefined) found[row] = fates.indexOf(fateOf(outcome));
    }
  return found;
}

function fateOf(outcome: LoggedRow['outcome']): Fate {
  if (outcome === 'sent') return 'done';
  return outcome === 'unsure' ? 'unsure' : 'due';
}

/** Claimed as if they were sent now; the outcome is that of the log. Returns the rows that the server has as such. */
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
    const verdicts = await ledger.claim(some.map(input.read), { run, retryUnsure: false, ignoreOthers: true });
    const isGranted = (index: number) => verdicts[index]?.verdict === 'yours';
    const granted = some.filter((_, index) => isGranted(index));
    await ledger.settle(
      granted.map((row): Settled => ({
        run,
        row: input.read(row),
        outcome: fateAt(known, row) === 'unsure' ? 'unsure' : 'done',
      })),
    );
    recorded.push(...some.filter((_, index) => isGranted(index) || verdicts[index]?.verdict === 'done'));
  }
  return recorded;
}
