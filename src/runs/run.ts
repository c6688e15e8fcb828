import { refuseWrongClock } from '../session/clock.ts';
import { knownSecrets, refuseKeys } from '../session/secrets.ts';
import type { Context, Emit } from '../cli/command.ts';
import { unitOf } from './input/source.ts';
import { usage } from '../base/errors.ts';
import type { Mode } from '../contract/keys.ts';
import type { RunPlan } from '../ledger/ledger.ts';
import { durationText, needsConfirmation } from './confirm.ts';
import { type DryRunEnded, suspectRowsNote } from './dry-run.ts';
import { openInput } from './input.ts';
import type { Action, Running } from './action.ts';
import { checkChoice, checkRepeatable, choiceOf, refuseKeyInPath, type RunFlags } from './options.ts';
import { continuingText, noteText, register } from './register.ts';
import { factsOf } from './facts.ts';
import { filtered } from './mapping/where.ts';
import { emptyResult, type Ended } from './result.ts';
import { interruptedEarly, untilSignaled } from './stop.ts';
import { occasionColumn } from './occasion.ts';
import { preflight, type Preflight, type PreflightOptions } from './preflight.ts';
import { statusText } from './status.ts';
import { dueIn } from './tally.ts';
import { confirmedPlan, dryRun, lookAtTemplate, noteHours } from './rehearsal.ts';
import { faultOf, sendAndReport } from './sending.ts';

/** A run from the command line to its result: read, confirm, register, send, report. */
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

/** Checks, confirms and registers the rows, then sends them; a dry run ends before it confirms. */
async function perform(running: Running, hasLooked = false): Promise<Ended | DryRunEnded> {
  const { context, action, options, input, client, opened, signals } = running;
  const found = await preflightOf(running);
  const unit = unitOf(input.source);
  const isLive = running.mode === 'live' && action.kind === 'message';
  checkRepeatable(options, isLive, context);
  const template = isLive && found.rows > 0 ? await lookAtTemplate(running) : undefined;
  const skew = client.skew();
  if (isLive) refuseWrongClock(skew);
  const plan: RunPlan = {
    isClockRight: isLive && skew !== undefined,
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
    lineOf: found.placeOf,
    about: factsOf(running, found),
  };
  if (isLive && opened.isTeam && !hasLooked) {
    const mapper = await (await import('./joining.ts')).withoutOwn(running, plan);
    if (mapper) return perform({ ...running, mapper }, true);
  }
  const perColumn = () => occasionColumn(running, found);
  const registering = { context, ledger: opened.ledger, found, unit, plan, perColumn };
  if (context.given.dryRun) return dryRun(running, found, registering, template);
  if (found.rows === 0) {
    context.note('empty', 'there are no rows');
    return {
      result: emptyResult(running),
      exit: 'done',
      unsurePlaces: [],
      resolveCommands: [],
      unit,
      hasClue: false,
      finish: () => faultOf(opened.ledger.close()),
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
    noteHours(context, action);
  }
  return sendAndReport(running, found, registered);
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

function refuseShaping({ output, columns, dryRun }: Context['given']): void {
  if (output === 'id' && columns === undefined)
    throw usage(
      'a run has no single id to print',
      "-o ndjson prints each row with its id, and --columns run the run's",
    );
  if (output !== 'ndjson' || dryRun || columns === undefined) return;
  throw usage(
    '--columns cannot be applied to rows as they come',
    'leave it out, or take the summary alone with -o json',
  );
}
