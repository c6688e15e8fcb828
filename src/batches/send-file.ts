import { jsonText } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import type { Context, Emit } from '../cli/command.ts';
import { askForPhone, typedPhone } from '../cli/phones.ts';
import { batchesSeen, rememberBatches } from '../cli/seen.ts';
import { knownSecrets, refuseKeys } from '../session/secrets.ts';
import { newId } from '../store/batch.ts';
import { removeRows } from '../store/cancel.ts';
import { decide, type Plan, samplesToSend } from '../store/decide.ts';
import { openDraft } from '../store/draft.ts';
import { apply, begin } from '../store/load.ts';
import { countReached } from '../store/tally.ts';
import { confirmed, heldHints, noteEarlier, refuseListedTwice, refuseOtherNumbers, refuseTooMany } from './confirm.ts';
import { fillDraft } from './draft-file.ts';
import { sendAndReport } from './finish.ts';
import { type Copied, type Forecast, forecast } from './forecast.ts';
import { isLive, type Loading, openLoading, type Order } from './loading.ts';
import { unwantedCells } from './mapping/columns.ts';
import { whereOf } from './options.ts';
import { type Overview, overviewOf } from './overview.ts';
import { interruptedEarly, untilSignaled } from './stop.ts';
import type { Ended } from './summary.ts';
import { sendTest, type Tested } from './template.ts';
import { rehearsed, type Rehearsed } from './view.ts';

/** Loads a file into its batch, and sends to those who have not got the message: read, decide, ask, load, work. */
export async function sendFile(context: Context, order: Order, emit: Emit): Promise<Ended | Rehearsed | Tested> {
  const secrets = await knownSecrets(context);
  refuseKeys(context.host.argv, secrets);
  const signals = untilSignaled(context);
  let loading: Loading | undefined;
  try {
    loading = await openLoading(context, order, { signals, emit, secrets });
    return await load(loading);
  } catch (error) {
    throw signals.stop.aborted && !loading?.isBegun ? interruptedEarly(signals.stop.reason) : error;
  } finally {
    loading?.input.close();
    signals.release();
  }
}

async function load(loading: Loading): Promise<Ended | Rehearsed | Tested> {
  const { desk, order, choice, scope, template, input } = loading;
  const { database, context } = desk;
  const { host, given } = context;
  const draft = await openDraft(database, { id: newId(host.random), scope, target: choice.batch, now: host.now() });
  try {
    const copied = await fillDraft(loading, draft);
    const { test, again, resend, noExcludeFrom: dropsExcluded = false } = order;
    if (test !== undefined && !given.dryRun)
      return await sendTest(desk, draft, await typedPhone(context, test, '--test'), template);
    const now = host.now();
    const againAt = choice.batch?.againAt || (again ? now : 0);
    const source = order.fromBatch === undefined ? '' : input.name;
    const plan = { draft, file: input.path ?? source, againAt, resend, dropsExcluded, now };
    const decided = { plan, copied, expected: await foresee(loading, plan) };
    await noteEarlier(context, database, plan);
    // `--per phone` says that each gets the first.
    const twice = { count: order.per === 'phone' ? 0 : decided.expected.listedTwice, unit: input.unit };
    await refuseListedTwice(context, database, draft, twice);
    if (given.dryRun) return rehearsed(await preview(loading, decided), order.command);
    return await sendAfterQuestion(loading, decided);
  } finally {
    if (!loading.isBegun) await removeRows(database, draft.id);
  }
}

interface Decided {
  readonly plan: Plan;
  readonly expected: Forecast;
  readonly copied: Copied;
}

async function foresee({ desk, choice, order }: Loading, plan: Plan): Promise<Forecast> {
  const { database } = desk;
  const reached = choice.batch ? await countReached(database, choice.batch.id) : 0;
  const room = Math.max(0, (order.first ?? Infinity) - reached);
  return forecast(await decide(database, plan), room);
}

async function preview(loading: Loading, { plan, expected, copied }: Decided): Promise<Overview> {
  const { desk, choice, settings, scope, input, template } = loading;
  const few = expected.toSend < 10 ? expected.toSend : 2;
  const samples = few > 0 ? await samplesToSend(desk.database, plan, few) : [];
  const load = { name: input.name, unit: input.unit, copied };
  const { text } = template;
  const shown = { ...choice, scope, settings, forecast: expected, load, samples, text, now: plan.now };
  return overviewOf(desk, shown, plan.dropsExcluded);
}

async function sendAfterQuestion(loading: Loading, decided: Decided): Promise<Ended> {
  const { desk, order, scope, choice, input, settings, columns } = loading;
  const { context, database, worker, signals } = desk;
  const { host } = context;
  refuseOtherNumbers(context, scope, decided.copied);
  const { plan, expected } = await answered(loading, decided);
  const hints = await heldHints(database, plan.draft, expected);
  if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
  const kept = {
    name: choice.name,
    per: loading.per,
    told: jsonText(settings.told),
    command: jsonText(host.argv.map((word) => redact(word))),
    columns: jsonText({ names: input.isTable ? columns : null, separator: input.separator ?? null }),
  };
  signals.take();
  const batch = await begin(database, { ...plan, now: host.now() }, kept, worker);
  loading.isBegun = true;
  rememberBatches(host, [batch.name, ...batchesSeen(host)]);
  const progress = await context.progress();
  progress.follow(() => (signals.stop.aborted ? 'stopping once the file is loaded' : 'loading'));
  const isUnwanted = unwantedCells(whereOf(settings.told));
  await apply(database, plan, { batch, worker, clock: host.now, isUnwanted }).finally(progress.end);
  return sendAndReport(desk, {
    command: order.command,
    batch,
    isNew: choice.batch === undefined,
    resend: order.resend,
    first: order.first,
    file: input.path === undefined ? undefined : input.name,
    expected,
    isUnlisted: loading.template.isUnlisted,
    heldHints: hints,
  });
}

/** With the answer that the people who got it before get it once more, it is decided again. */
async function answered(loading: Loading, decided: Decided): Promise<Decided> {
  const { desk, order, scope, settings, template } = loading;
  const { context } = desk;
  const { plan, expected } = decided;
  const question = {
    scope,
    forecast: expected,
    atMost: order.atMost,
    isAsked: order.isAsked,
    profile: settings.profile,
    mayRepeat: isLive(scope) && plan.againAt === 0,
    mayTest: scope.kind === 'message',
    overview: () => preview(loading, decided),
  };
  let answer = await confirmed(context, question);
  for (; answer === 'test'; answer = await confirmed(context, { ...question, isTested: true })) {
    const to = await askForPhone(context, 'Your phone', '--test');
    await sendTest(desk, plan.draft, to, template);
    const why = context.harmless();
    context.reporter.say(`Sent a test ${why === undefined ? '' : `(${why}) `}to ${to}`);
  }
  if (answer === 'send') return decided;
  const again = { ...plan, againAt: context.host.now() };
  const all = await foresee(loading, again);
  refuseTooMany(all.toSend, order.atMost);
  return { ...decided, plan: again, expected: all };
}
