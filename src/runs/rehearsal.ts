import type { Context } from '../cli/command.ts';
import { doubtAbout, type TemplateFacts, templatesOf } from '../cli/templates.ts';
import { CliError, unsafe } from '../base/errors.ts';
import type { RunPlan } from '../ledger/ledger.ts';
import { confirmLive, fewRows, hoursText, overviewLines } from './confirm.ts';
import { type DryRunEnded, dryRunOf } from './dry-run.ts';
import { firstBodies } from './due.ts';
import { nameOf } from './input.ts';
import type { Action, Running } from './action.ts';
import { noteText, register, type Registering } from './register.ts';
import { interruptedEarly } from './stop.ts';
import type { Preflight } from './preflight.ts';
import { dueIn } from './tally.ts';

interface Confirming {
  readonly found: Preflight;
  readonly registering: Registering;
  readonly isAsked: boolean;
  readonly template: TemplateFacts | undefined;
}

/** The plan with the user's answers. Nothing is registered yet. */
export async function confirmedPlan(
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
    const { ledger, plan } = registering;
    const sentThisMonth = await ledger.sentSince(plan.account, startOfMonth(now));
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

/** In UTC. */
function startOfMonth(now: number): number {
  const today = new Date(now);
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
}

/** The template of a batch, if the service lists it; adds a note if it is likely to be refused. */
export async function lookAtTemplate({
  context,
  action: { template, params },
  client,
  mode,
}: Running): Promise<TemplateFacts | undefined> {
  if (template === undefined) return undefined;
  let list: readonly TemplateFacts[] = [];
  await client.tryLookup(async (pages) => {
    list = (await templatesOf(pages, context)) ?? [];
  });
  const doubt = doubtAbout(list, template, params ?? 0);
  if (doubt !== undefined && mode === 'live')
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
  return unsafe('template-unfit', doubt, `nothing was sent; ${params}`);
}

/** Reports the effects of the run without them. */
export async function dryRun(
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

/** Says when the hours of a run begin. */
export function noteHours({ note, host }: Context, { hours }: Action): void {
  if (hours) note('hours', hoursText(hours, host.now()));
}
