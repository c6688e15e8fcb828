import { unitOf } from './input/source.ts';
import { CliError, configuration, fsError } from '../base/errors.ts';
import type { Owner } from '../ledger/ledger.ts';
import { hostIn, isElsewhere, longestSilence } from '../base/liveness.ts';
import { dueRows } from './due.ts';
import { sendRows } from './engine.ts';
import type { Running } from './action.ts';
import { resolveCommands, type Registration } from './register.ts';
import { reportOf } from './facts.ts';
import { finishRejectFile, writeRejectedRows } from './rejected-rows.ts';
import { holdSpareFiles } from './spare-files.ts';
import { outageText } from './outage.ts';
import { changedText, earlierOf, emptyResult, type Ended, exitOf, type RunResult } from './result.ts';
import { type Stopped, stoppedBy } from './stop.ts';
import type { Preflight } from './preflight.ts';
import { sendingNow, showing } from './status.ts';
import type { Outcome, Ready } from './row.ts';
import { unsentParts } from './sharing.ts';
import { createTally, dueIn, type Tally } from './tally.ts';

/** Sends the due rows and reports them. */
export async function sendAndReport(running: Running, found: Preflight, registered: Registration): Promise<Ended> {
  const { context, input, signals } = running;
  const { accepted } = registered;
  const { run } = accepted;
  const startedAt = context.host.now();
  const unit = unitOf(input.source);
  signals.take();
  const tally = createTally(found, accepted);
  found.freeIndexes();
  const { ledger } = running.opened;
  await ledger.report(run, reportOf(tally, accepted.files));
  const changedPlaces: number[] = [];
  const reason = await sendDueRows(running, { found, registered, tally, changedPlaces });
  const { files, unsurePlaces } = await writeRejectedRows(running, { found, accepted, tally });
  const fault = await faultOf(ledger.report(run, reportOf(tally, files, reason)));
  const stopped = reason ?? (fault && stoppedBy(fault));
  const result: RunResult = {
    ...emptyResult(running),
    run,
    continues: accepted.continues,
    ...tally.counts(),
    earlier: earlierOf(accepted),
    reasons: tally.reasons(),
    stopped: stopped ? { code: stopped.code, message: stopped.message } : null,
    started_at: new Date(startedAt).toISOString(),
    files: { failed: files.failed?.file ?? null, unsure: files.unsure?.file ?? null },
  };
  const { changed } = result.skipped;
  if (changed > 0) context.note('changed', changedText(changed, changedPlaces, unit));
  const done = stopped ? undefined : await finishRejectFile(running, result);
  if (done !== undefined) context.note('file-done', done);
  const clue = clueIn(running, result);
  if (clue !== undefined && !stopped) context.note('meant', clue);
  const unsureRows = result.unsure + result.skipped.unsure;
  return {
    result,
    exit: exitOf(result, stopped, clue),
    unsurePlaces,
    resolveCommands: resolveCommands(accepted, unsureRows),
    unit,
    hasClue: clue !== undefined,
    async finish(isPrinted) {
      // A run that was stopped goes on later.
      const ended = isPrinted && !stopped ? await faultOf(ledger.endRun(run)) : undefined;
      const closed = await faultOf(ledger.close());
      return ended ?? closed;
    },
  };
}

interface Sending {
  readonly found: Preflight;
  readonly registered: Registration;
  readonly tally: Tally;
  readonly changedPlaces: number[];
}

async function sendDueRows(
  running: Running,
  { found, registered, tally, changedPlaces }: Sending,
): Promise<Stopped | undefined> {
  const { context, action, input, mapper, client, signals, opened } = running;
  const { host } = context;
  const { accepted, plan } = registered;
  const { run } = accepted;
  client.noteHarmless(action.kind === 'message');
  const spare = holdSpareFiles();
  let goneAt: number | undefined;
  const shown = await showing(context, {
    total: dueIn(accepted),
    emit: running.emit,
    pace: client.pace.limit,
    steady: host.steady,
    hours: action.hours,
    now: host.now,
    doing: () => sendingNow({ hours: action.hours, clock: host, goneAt, next: client.pace.waiting() }),
  });
  let isShared = accepted.notes.some(({ note }) => note === 'joined');
  const onOutcome = (outcome: Outcome) => {
    tally.take(outcome);
    const why = outcome.outcome === 'skipped' ? outcome.why : undefined;
    // Another process works on the run, too.
    if (why !== undefined && why !== 'excluded') isShared = true;
    if (why === 'changed') changedPlaces.push(outcome.row.line);
    return shown.take(outcome);
  };
  const sharing = {
    random: host.random,
    sentAmong: (rows: readonly Ready[]) => opened.ledger.sentAmong(run, rows),
    onSent: (row: Ready) => onOutcome({ outcome: 'skipped', row, why: 'this_run' }),
  };
  try {
    return await sendRows({
      ledger: opened.ledger,
      terms: {
        run,
        retryUnsure: plan.choice.retryUnsure,
        resumesAt: action.hours && (() => action.hours?.resumesAt(host.now()) ?? 0),
      },
      rows: dueRows({
        input,
        found,
        accepted,
        mapper,
        onUnsent: (rows) => opened.ledger.addUnsent(run, rows),
        onChanged: ({ line }) => void changedPlaces.push(line),
        onInvalid: shown.invalid,
        from: isShared ? Math.floor(host.random() * found.digests.count) : 0,
        parts: (rows) => (isShared ? unsentParts(rows, sharing) : [rows]),
      }),
      exchange: client.prepare(action.endpoint),
      reachable: client.reachable,
      concurrency: client.concurrency,
      leavesOut: mapper.isExcludedNow,
      wasAccepted: accepted.counts.done > 0,
      signals,
      clock: host,
      makeRoom: spare.release,
      onOutage(state, last) {
        goneAt = state === 'gone' ? host.steady() : undefined;
        context.note('outage', outageText(state, last));
      },
      onTaken: once((owner) => context.note('taken', takenText(owner, host.now()))),
      onOutcome,
    });
  } finally {
    spare.release();
    shown.end();
  }
}

/** A field that the service reports as missing may be in the input under a similar name. */
function clueIn({ action, input }: Running, { reasons }: RunResult): string | undefined {
  return action.clue?.(
    reasons.map(({ reason }) => reason),
    input.source.fields ?? [],
  );
}

/** Once rows were sent, their summary is printed even if the ledger cannot be written any more. */
export async function faultOf(writing: Promise<void>): Promise<CliError | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    const fault = fsError(error);
    if (!fault) throw error;
    return configuration('ledger-unwritable', `cannot write the ledger: ${fault.reason}`, undefined, error);
  }
}

/** A process on another machine, or from before a restart counts as ended if its heartbeat stops. */
function takenText({ pid, start, beat }: Owner, now: number): string {
  if (!isElsewhere(start)) return `process ${pid} is sending some of these rows; waiting for it`;
  const seconds = Math.max(1, Math.ceil((longestSilence - (now - beat)) / 1_000));
  const who = `process ${pid} on ${hostIn(start) ?? 'another machine'}`;
  return `${who} is sending some of these rows; waiting for it; after ${seconds} s without a heartbeat they become unsure`;
}

function once<T>(act: (value: T) => void): (value: T) => void {
  let isDone = false;
  return (value) => {
    if (!isDone) act(value);
    isDone = true;
  };
}
