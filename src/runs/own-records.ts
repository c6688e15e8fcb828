import { type CliError, unsafe } from '../base/errors.ts';
import type { OnDamage } from '../base/journal-lines.ts';
import { listRuns, type RunEntry } from '../ledger/file/runs.ts';
import {
  type Accepted,
  type Fate,
  fateAt,
  fates,
  type Ledger,
  type Note,
  type RunPlan,
  type Registered,
  type Settled,
} from '../ledger/ledger.ts';
import { remembered } from '../ledger/others.ts';
import type { OpenedLedger, TeamExtras } from '../session/session.ts';
import { type LoggedRow, rowsIn } from './history.ts';
import { ledgerFolder } from './listing.ts';
import { logFolder, logParts } from './log.ts';
import type { Preflight } from './preflight.ts';
import { dueIn } from './tally.ts';

/** A team's ledger, with what only this machine knows of the rows. */
export function withOwnRecords(
  ledger: OpenedLedger['ledger'],
  team: TeamExtras,
  { ownDigests, ...logs }: OwnLogs & Pick<Preflight, 'ownDigests'>,
): Pick<Ledger, 'register'> {
  const remembering = { ...ledger, ...withOwnLogs({ ...team, ledger }, logs) };
  return team.own && ownDigests ? withOwnLedger(remembering, team.own, ownDigests) : remembering;
}

/**
 * A team's ledger does not know what this machine sent before the team was set, so its own ledger is asked first. It
 * has digests of another secret.
 */
function withOwnLedger(
  ledger: Pick<Ledger, 'register' | 'withdraw'>,
  own: NonNullable<TeamExtras['own']>,
  ownInput: RunPlan['input'],
): Pick<Ledger, 'register'> {
  return {
    async register(plan): Promise<Registered> {
      const choice = { ...plan.choice, atMost: undefined };
      const rehearsal = { ...plan, choice, account: own.account, input: ownInput, isRehearsal: true };
      const before = await own.ledger.register(rehearsal);
      if (before.stop?.reason === 'sent-before') return before;
      if (before.stop) throw unfinished('run' in before.stop ? before.stop.run : '');
      const isOpen = before.continues && dueIn(before) + before.counts.later > 0;
      if (isOpen && plan.job === undefined) throw unfinished(before.run);
      return registerOthers(ledger, plan, before);
    },
  };
}

/** Registers the rows that this machine has not sent. */
async function registerOthers(
  ledger: Pick<Ledger, 'register' | 'withdraw'>,
  plan: RunPlan,
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

/** The notes of this machine's own ledger that are about the rows. */
const ofRows: ReadonlySet<Note['note']> = new Set(['unsure-before', 'would-stop', 'imported-before']);

function unfinished(run: string): CliError {
  return unsafe(
    'run-before-team',
    `run ${run}, which this machine began before it had the team, has these rows and is unfinished`,
    `nothing was sent; finish it with the same command and --no-team, or give it up: bizmsg runs close ${run}`,
  );
}

interface TeamLedger extends Pick<TeamExtras, 'parts' | 'lossAcceptedAt'> {
  readonly ledger: Pick<Ledger, 'register' | 'claim' | 'settle'>;
}

interface OwnLogs {
  readonly stateFolder: string;
  readonly now: () => number;
  readonly onDamage: OnDamage;
}

/** Rows in one call to the server. */
const together = 1_000;
/** Milliseconds by which the clocks of this machine and of the server may differ. */
const skew = 3_600_000;

/**
 * After the server of a team has lost data, what this machine's logs have of the rows is recorded there again, so that
 * they are not sent once more.
 */
function withOwnLogs(team: TeamLedger, logs: OwnLogs): Pick<Ledger, 'register'> {
  const { ledger } = team;
  return {
    async register(plan): Promise<Registered> {
      // A contact that is created again is the same one, and sandbox keys may send again.
      if (plan.choice.again || plan.kind === 'contact' || plan.mode === 'sandbox') return ledger.register(plan);
      const acceptedAt = await team.lossAcceptedAt();
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
function sentBefore({ stateFolder, now, onDamage }: OwnLogs, plan: RunPlan, acceptedAt: number) {
  const { input, job, choice } = plan;
  const known = new Uint8Array(input.count);
  const entries = listRuns(ledgerFolder(stateFolder)).filter((entry) => isOfPlan(entry, plan));
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
function isOfPlan({ kind, mode, account, origin, job }: RunEntry, plan: RunPlan): boolean {
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
 * machine may have found out more.
 */
async function recordAgain(
  { ledger, parts }: TeamLedger,
  run: string,
  { input }: RunPlan,
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

/** Rows of the input that are not sent, although the ledger would send them. */
interface LeftOut {
  /** Their fates, and 0 or any other fate for the other rows. */
  readonly known: Uint8Array;
  /** Rows known to be sent are sent, even if the ledger has them as unsure. */
  readonly isCertain: boolean;
  notes(rows: readonly number[]): readonly Note[];
  /** Called once the run is registered; returns the rows that are left out indeed. */
  keep(run: string, rows: readonly number[]): Promise<readonly number[]>;
}

/** Fates of rows that were sent, or may have been. */
const sent: ReadonlySet<Fate> = new Set(['done', 'unsure', 'earlier', 'changed']);
const open: ReadonlySet<Fate> = new Set(['due', 'retry', 'later']);

function hasSent(known: Uint8Array): boolean {
  return known.some((_, row) => sent.has(fateAt(known, row)));
}

/** Registers the input without the rows that are known to be sent. */
async function registerRest(
  ledger: Pick<Ledger, 'register'>,
  plan: RunPlan,
  { known, isCertain, notes, keep }: LeftOut,
): Promise<Registered> {
  const unlimited = { ...plan, choice: { ...plan.choice, atMost: undefined } };
  const foreseen = await ledger.register({ ...unlimited, isRehearsal: true });
  if (foreseen.stop) return foreseen;
  const rest = without(foreseen, known, rowsToLeaveOut(foreseen, known, isCertain), notes);
  const due = dueIn(rest);
  if (due > (plan.choice.atMost ?? Infinity)) return { stop: { reason: 'too-many', rows: due }, notes: [] };
  if (plan.isRehearsal) return rest;
  const registered = await ledger.register(unlimited);
  if (registered.stop) return registered;
  const rows = await keep(registered.run, rowsToLeaveOut(registered, known, isCertain));
  return without(registered, known, rows, notes);
}

function rowsToLeaveOut(registered: Accepted, known: Uint8Array, isCertain: boolean): readonly number[] {
  const rows: number[] = [];
  for (let row = 0; row < known.length; row++) {
    const [fate, own] = [fateAt(registered.fates, row), fateAt(known, row)];
    const isOutvoted = isCertain && fate === 'unsure' && own === 'done';
    if (isOutvoted || (open.has(fate) && sent.has(own))) rows.push(row);
  }
  return rows;
}

/** With the known fates for these rows. */
function without(registered: Accepted, known: Uint8Array, rows: readonly number[], notes: LeftOut['notes']): Accepted {
  const merged = registered.fates.slice();
  const counts = { ...registered.counts };
  for (const row of rows) {
    const own = fateAt(known, row);
    counts[fateAt(merged, row)] -= 1;
    counts[own] += 1;
    merged[row] = fates.indexOf(own);
  }
  return { ...registered, fates: merged, counts, notes: [...registered.notes, ...notes(rows)] };
}
