import { knownSecrets, refuseKeys } from '../session/secrets.ts';
import type { Context, Emit } from '../cli/command.ts';
import { doubtAbout, type TemplateFacts, templatesOf } from '../cli/templates.ts';
import { unitOf } from './input/source.ts';
import { CliError, configuration, fsError, unsafe, usage } from '../base/errors.ts';
import type { Mode } from '../contract/keys.ts';
import type { Owner, RunPlan } from '../ledger/ledger.ts';
import { hostIn, isElsewhere, longestSilence } from '../base/liveness.ts';
import { confirmLive, durationText, fewRows, hoursText, needsConfirmation, overviewLines } from './confirm.ts';
import { type DryRunEnded, dryRunOf, suspectRowsNote } from './dry-run.ts';
import { dueRows, firstBodies } from './due.ts';
import { sendRows } from './engine.ts';
import { checkClock } from './service-clock.ts';
import { nameOf, openInput } from './input.ts';
import type { Action, Running } from './action.ts';
import { checkChoice, checkRepeatable, choiceOf, refuseKeyInPath, type RunFlags } from './options.ts';
import {
  continuingText,
  noteText,
  register,
  resolveCommands,
  type Registration,
  type Registering,
} from './register.ts';
import { factsOf, reportOf } from './facts.ts';
import { finishRejectFile, writeRejectedRows } from './rejected-rows.ts';
import { holdSpareFiles } from './spare-files.ts';
import { filtered } from './mapping/where.ts';
import { outageText } from './outage.ts';
import { changedText, earlierOf, emptyResult, type Ended, exitOf, type RunResult } from './result.ts';
import { interruptedEarly, type Stopped, stoppedBy, untilSignaled } from './stop.ts';
import { occasionColumn } from './occasion.ts';
import { preflight, type Preflight, type PreflightOptions } from './preflight.ts';
import { sendingNow, showing, statusText } from './status.ts';
import type { Outcome, Ready } from './row.ts';
import { checkStart } from './start.ts';
import { unsentParts } from './sharing.ts';
import { createTally, dueIn, type Tally } from './tally.ts';

/** A run from the command line to its result: read, register, confirm, send, report. */
export async function runAction(
  context: Context,
  action: Action,
  { file, ...options }: RunFlags & { readonly file: string },
  emit: Emit,
): Promise<Ended | DryRunEnded> {
  checkChoice(options);
  const known = await knownSecrets(context);
  // The command line is stored with the run, and its values are sent with every row.
  refuseKeys(
    context.host.argv.filter((word) => word !== file),
    known,
  );
  refuseKeyInPath(file, known);
  refuseShaping(context.given);
  const signals = untilSignaled(context);
  try {
    const { hours } = action;
    const closedFor = hours && (() => hours.opensAt(context.host.now()) - context.host.now());
    const client = await context.clientForRun({ ...options, signals, closedFor });
    const input = await openInput(context, file, { ...options, stop: signals.stop });
    try {
      const mapper = filtered(await action.mapper(input.source), options.where, input.source);
      const opened = await client.ledger(action.kind);
      const mode: Mode = client.target.mode === 'sandbox' ? 'sandbox' : 'live';
      const running = { context, action, options, input, mapper, client, mode, signals, emit, opened };
      let ran: Ended | DryRunEnded | undefined;
      try {
        return (ran = await perform(running));
      } finally {
        if (!ran || !('finish' in ran)) await faultOf(opened.ledger.close());
      }
    } finally {
      input.close();
    }
  } finally {
    signals.release();
  }
}

/** Once rows were sent, their summary is printed even if the ledger cannot be written any more. */
async function faultOf(writing: Promise<void>): Promise<CliError | undefined> {
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

/** Checks, confirms and registers the rows, then sends them; a dry run ends before that. */
async function perform(running: Running, hasLooked = false): Promise<Ended | DryRunEnded> {
  const { context, action, options, input, client, opened, signals } = running;
  const found = await preflightOf(running);
  const unit = unitOf(input.source);
  const isLive = running.mode === 'live' && action.kind === 'message';
  checkRepeatable(options, isLive, context);
  const template = isLive && found.rows > 0 ? await lookAtTemplate(running) : undefined;
  const plan: RunPlan = {
    isClockRight: isLive && checkClock(context, client, opened),
    account: opened.account,
    mode: running.mode,
    kind: action.kind,
    template: action.template,
    job: options.job,
    input: found.digests,
    first: options.first,
    choice: choiceOf(options, context),
    perColumns: action.perColumns,
    resumesAt: action.hours?.resumesAt(context.host.now()),
    startsAt: action.start && action.start.at > context.host.now() ? action.start.at : undefined,
    lineOf: found.placeOf,
    about: factsOf(running, found),
  };
  if (isLive && opened.isTeam && !hasLooked) {
    const mapper = await (await import('./joining.ts')).withoutOwn(running, plan);
    if (mapper) return perform({ ...running, mapper }, true);
  }
  const perColumn = () => occasionColumn(running, found);
  const registering = { context, ledger: opened.ledger, found, unit, plan, perColumn };
  await checkStart(action.start, { ledger: opened.ledger, plan, now: context.host.now() });
  if (context.given.dryRun) return dryRun(running, found, registering, template);
  if (found.rows === 0) {
    context.note('empty', 'there are no rows');
    const result = emptyResult(running);
    return {
      result,
      exit: 'done',
      unsurePlaces: [],
      resolveCommands: [],
      unit,
      hasClue: false,
      finish: () => finish(running, result, false),
    };
  }
  const damaged = suspectRowsNote(found, unit);
  if (damaged !== undefined) context.note('suspect', damaged);
  const isAsked = needsConfirmation(client.target, options, context);
  const confirmed =
    isAsked || (isLive && context.interactive)
      ? await confirmedPlan(running, { found, registering, isAsked, template })
      : plan;
  if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
  const registered = await register({ ...registering, plan: confirmed });
  const continuing = continuingText(registered.accepted);
  if (continuing !== undefined) context.note('continuing', continuing);
  for (const note of registered.accepted.notes) context.note('run', noteText(note, plan));
  if (confirmed === plan && dueIn(registered.accepted) > 0) {
    if (!isLive) await lookAtTemplate(running);
    const duration = durationText(client.pace, dueIn(registered.accepted), context.host.now(), action.hours);
    if (duration?.isLong) context.note('duration', duration.text);
  }
  if (confirmed === plan && dueIn(registered.accepted) > 0) noteHours(context, action);
  return sendAndReport(running, found, registered);
}

function noteHours({ note, host }: Context, { hours }: Action): void {
  const text = hours && hoursText(hours, host.now());
  if (text !== undefined) note('hours', text);
}

/** With the user's answers; nothing is registered yet. */
interface Confirming {
  readonly found: Preflight;
  readonly registering: Registering;
  readonly isAsked: boolean;
  readonly template: TemplateFacts | undefined;
}

async function confirmedPlan(
  running: Running,
  { found, registering, isAsked, template: known }: Confirming,
): Promise<RunPlan> {
  const { context, action, input, client, signals, options } = running;
  const foreseen = await register({ ...registering, plan: { ...registering.plan, isRehearsal: true } });
  const { accepted } = foreseen;
  // The answer was to send all once more.
  const isRepeat = foreseen.plan.choice.again === true && !options.again;
  const overview = async () => {
    const template = known ?? (await lookAtTemplate(running));
    // The question would end without a word.
    if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
    const most = dueIn(accepted) < fewRows ? dueIn(accepted) : 1;
    const bodies = await firstBodies({ input, found, accepted }, running.mapper, most);
    const now = context.host.now();
    const sentThisMonth = await client.sentThisMonth();
    const about = {
      file: nameOf(input),
      job: options.job ?? null,
      action,
      found,
      client,
      template,
      unit: registering.unit,
    };
    return overviewLines({ ...about, bodies, accepted, sentThisMonth, now }).join('\n');
  };
  if (isAsked || isRepeat) await confirmLive(context, dueIn(accepted), { isRepeat, overview });
  return { ...foreseen.plan, isRehearsal: false };
}

/** The template of a batch, if the service lists it; adds a note if it is likely to be refused. */
async function lookAtTemplate({
  context,
  action: { template, params },
  client,
  mode,
  options,
}: Running): Promise<TemplateFacts | undefined> {
  if (template === undefined) return undefined;
  let list: readonly TemplateFacts[] = [];
  await client.tryLookup(async (pages) => {
    list = (await templatesOf(pages, context)) ?? [];
  });
  const doubt = doubtAbout(list, template, params ?? 0);
  if (doubt !== undefined && mode === 'live' && !options.allowUnlisted)
    throw unfit(
      doubt,
      list.some(({ name }) => name === template),
    );
  if (doubt !== undefined) context.note('template', doubt);
  return list.find(({ name }) => name === template);
}

/** A live message that cannot be right is not sent to many. */
function unfit(doubt: string, isListed: boolean): CliError {
  const params = isListed ? 'give one -p for each variable' : 'bizmsg templates list shows the templates';
  return unsafe('template-unfit', doubt, `nothing was sent; ${params}, or --allow-unlisted sends all the same`);
}

async function dryRun(
  running: Running,
  found: Preflight,
  registering: Registering,
  known: TemplateFacts | undefined,
): Promise<DryRunEnded> {
  const { context, action, input, mapper, client } = running;
  const foreseen = await register({
    ...registering,
    context: { ...context, interactive: false },
    plan: { ...registering.plan, isRehearsal: true },
  }).catch((error: unknown) => {
    if (error instanceof CliError) return error;
    throw error;
  });
  const refused = foreseen instanceof CliError ? foreseen : undefined;
  const accepted = foreseen instanceof CliError ? undefined : foreseen.accepted;
  const due = accepted && dueIn(accepted) > 0 ? accepted : undefined;
  const template = known ?? (due && (await lookAtTemplate(running)));
  const [first] = due ? await firstBodies({ input, found, accepted: due }, mapper, 1) : [];
  noteHours(context, action);
  if (action.origin !== undefined) context.note('settings', action.origin);
  for (const note of accepted?.notes ?? []) context.note('run', noteText(note, registering.plan));
  return dryRunOf({
    found,
    accepted,
    refused,
    client,
    kind: action.kind,
    unit: registering.unit,
    first,
    template,
  });
}

/** Sends the due rows and reports them. */
async function sendAndReport(running: Running, found: Preflight, registered: Registration): Promise<Ended> {
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
    finish: (isPrinted) => finish(running, result, isPrinted && !stopped),
  };
}

/** Ends a run whose summary was printed, unless it was stopped. */
async function finish(running: Running, result: RunResult, hasEnded: boolean): Promise<CliError | undefined> {
  const { ledger } = running.opened;
  const ended = hasEnded && result.run !== null ? await faultOf(ledger.endRun(result.run)) : undefined;
  const closed = await faultOf(ledger.close());
  await finished(running, result);
  return ended ?? closed;
}

async function finished({ context, options: { onFinish } }: Running, result: RunResult): Promise<void> {
  if (onFinish !== undefined) await (await import('./on-finish.ts')).runOnFinish(context, onFinish, result);
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
  const { context, action, options, input, mapper, client, signals, opened } = running;
  const { host } = context;
  const { accepted, plan } = registered;
  const { run } = accepted;
  const recordEnd = await client.record({ name: action.endpoint, run, template: action.template });
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
    if (outcome.outcome === 'skipped') isShared = true;
    if (outcome.outcome === 'skipped' && outcome.why === 'changed') changedPlaces.push(outcome.row.line);
    return shown.take(outcome);
  };
  const sharing = {
    random: host.random,
    sentAmong: (rows: readonly Ready[]) => opened.ledger.sentAmong(run, rows),
    onSent: (row: Ready) => onOutcome({ outcome: 'skipped', row, why: 'this_run' }),
  };
  try {
    const stopped = await sendRows({
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
      leavesOut: mapper.excludesNow,
      maxErrors: options.maxErrors,
      wasAccepted: accepted.counts.done > 0,
      signals,
      clock: host,
      makeRoom: spare.release,
      afterFirst:
        plan.mode === 'live' && plan.kind === 'message' && client.skew() === undefined
          ? () => void checkClock(context, client, opened)
          : undefined,
      onOutage(state, last) {
        goneAt = state === 'gone' ? host.steady() : undefined;
        context.note('outage', outageText(state, last));
      },
      onTaken: once((owner) => context.note('taken', takenText(owner, host.now()))),
      onOutcome,
    });
    await recordEnd(tally.counts(), stopped?.exit);
    return stopped;
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

async function preflightOf({ context, input, action, mapper, opened, signals: { stop } }: Running): Promise<Preflight> {
  const { secret } = opened.ledger;
  const digest: PreflightOptions['digest'] = (row) => action.digest(row, secret);
  const progress = await context.progress();
  let rows = 0;
  const onRows = (count: number) => (rows = count);
  progress.follow((columns) => statusText({ what: 'reading', rows }, undefined, columns));
  const found = await preflight({ source: input.source, mapper, digest, signal: stop, onRows })
    .catch((error: unknown) => {
      throw stop.aborted ? interruptedEarly(stop.reason) : error;
    })
    .finally(progress.end);
  if (stop.aborted) throw interruptedEarly(stop.reason);
  mapper.end?.();
  return found;
}

function refuseShaping({ output, query, columns, dryRun }: Context['given']): void {
  if (output === 'id' && (query ?? columns) === undefined)
    throw usage('a run has no single id to print', "-o ndjson prints each row with its id, and --query run the run's");
  if (output !== 'ndjson' || dryRun || (query ?? columns) === undefined) return;
  const flag = query === undefined ? '--columns' : '--query';
  throw usage(`${flag} cannot be applied to rows as they come`, 'leave it out, or take the summary alone with -o json');
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
