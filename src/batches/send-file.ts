import { unsafe } from '../base/errors.ts';
import { jsonText, parseJson } from '../base/json.ts';
import { redact } from '../base/redact.ts';
import type { Context, Emit } from '../cli/command.ts';
import { whole } from '../cli/output/figures.ts';
import { askForPhone } from '../cli/phones.ts';
import { batchesSeen, rememberBatches } from '../cli/seen-batches.ts';
import type { TemplateFacts } from '../cli/templates.ts';
import { openMobiles } from '../contract/phone.ts';
import { isRecord } from '../contract/readers.ts';
import { currentCaller } from '../session/caller.ts';
import { refuseWrongClock } from '../session/clock.ts';
import { hasRecord } from '../session/record-file.ts';
import { knownSecrets, refuseKeys } from '../session/secrets.ts';
import type { BatchClient } from '../session/session.ts';
import { newId, type Scope } from '../store/batch.ts';
import { removeRows } from '../store/cancel.ts';
import { decide, firstToSend, type Plan } from '../store/decide.ts';
import { type Draft, exclude, excludedCount, openDraft } from '../store/draft.ts';
import { apply, begin } from '../store/load.ts';
import { countIn } from '../store/tally.ts';
import { nameAfter } from '../store/which.ts';
import { askForMissing, phoneIn } from './ask.ts';
import { type Choice, chooseBatch } from './choose.ts';
import { confirmed, refuseListedTwice, refuseOtherNumbers, refuseTooMany } from './confirm.ts';
import { type Copied, readIntoDraft } from './draft-file.ts';
import { rehearsed, type Rehearsed } from './dry-run.ts';
import { readExcluded } from './exclude.ts';
import { sendAndReport } from './finish.ts';
import { footerOf } from './footer.ts';
import { type Forecast, forecast } from './forecast.ts';
import { peopleOf } from './from-batch.ts';
import { heldHints } from './held.ts';
import { type Input, openInput } from './input/input.ts';
import { watchNames } from './mapping/columns.ts';
import { whereFilter } from './mapping/where.ts';
import { hoursOf, namedFields, rateOf, whereOf } from './options.ts';
import type { Desk, Order } from './order.ts';
import { type Overview, peopleText } from './overview.ts';
import { isReportColumn } from './report-columns.ts';
import { type Settings, settingsOf } from './settings.ts';
import { interruptedEarly, untilSignaled } from './stop.ts';
import type { Ended } from './summary.ts';
import { checkTemplate, listTemplates } from './template.ts';
import { sendTest, type Tested } from './test-message.ts';
import { mergeTold, type Told, toldOf } from './told.ts';
import { workerName } from '../base/worker.ts';

/** Loads a file into its batch, and sends to those who have not got the message: read, decide, ask, load, work. */
export async function sendFile(context: Context, order: Order, emit: Emit): Promise<Ended | Rehearsed | Tested> {
  const secrets = await knownSecrets(context);
  refuseKeys(context.host.argv, secrets);
  const signals = untilSignaled(context);
  let loading: Loading | undefined;
  try {
    loading = await open(context, order, { signals, emit, secrets });
    return await load(loading);
  } catch (error) {
    throw signals.stop.aborted && !loading?.isBegun ? interruptedEarly(signals.stop.reason) : error;
  } finally {
    loading?.input.close();
    signals.release();
  }
}

interface Secrets {
  /** Keys on this machine, which must not be sent or stored. */
  readonly secrets: readonly string[];
}

/** Everything that is known before the first row is read. */
interface Loading extends Secrets {
  readonly desk: Desk;
  readonly order: Order;
  readonly scope: Scope;
  readonly choice: Choice;
  readonly per: string;
  readonly settings: Settings;
  readonly input: Input;
  readonly facts: TemplateFacts | undefined;
  readonly isUnlisted: boolean;
  /** Whether a person was asked for a part of the command. */
  readonly isAsked: boolean;
  isBegun: boolean;
}

async function open(context: Context, order: Order, ends: Pick<Desk, 'signals' | 'emit'> & Secrets): Promise<Loading> {
  const { host, given, interactive } = context;
  const client = await context.clientForBatch(ends.signals);
  refuseWithoutMemory(context, client, order);
  const { database, account, mode } = await client.record();
  const scope: Scope = { account, mode, kind: order.kind, template: order.template };
  const choice = await chooseBatch(context, database, {
    scope,
    name: order.batch,
    proposal: nameAfter(proposalOf(order)),
    per: order.per === 'phone' ? '' : order.per,
    needsName: !interactive && !given.dryRun && order.test === undefined,
  });
  const typed = settingsOf(context, choice.batch ? toldOf(choice.batch.told) : {}, order);
  const hours = hoursOf(typed.effective);
  const closedFor = hours && (() => hours.opensAt(host.now()) - host.now());
  const sender = await client.connect({ rate: rateOf(typed.effective), closedFor });
  const desk = { ...ends, context, client, sender, database, worker: workerName(host), hours };
  const input = await openRows(desk, order, { scope, typed });
  try {
    refuseKeys(input.columns ?? [], ends.secrets);
    const list = order.kind === 'message' ? await listTemplates(context, sender.tryLookup) : [];
    if (isLive(scope)) refuseWrongClock(client.skew());
    const facts = list.find(({ name }) => name === order.template);
    const asking = { ...ends, kind: order.kind, told: typed.effective, input, columns: columnsOf(input), facts };
    const asked = await askForMissing(context, asking);
    refuseKeys(Object.values(asked).flat(), ends.secrets);
    const answers = { ...asked, ...(input.encoding !== undefined && { encoding: input.encoding }) };
    const settings = { ...typed, told: mergeTold(typed.told, answers), effective: mergeTold(typed.effective, answers) };
    const params = settings.effective.param?.length ?? 0;
    if (order.kind === 'message')
      checkTemplate(context, list, { template: order.template, params, isLive: isLive(scope) });
    const per = choice.batch?.per ?? (order.per === 'phone' ? '' : (order.per ?? ''));
    const isAsked = order.isAsked || Object.keys(asked).length > 0;
    const isUnlisted = list.length > 0 && !facts;
    return { ...ends, desk, order, scope, choice, per, settings, input, facts, isUnlisted, isAsked, isBegun: false };
  } catch (error) {
    input.close();
    throw error;
  }
}

function proposalOf({ file, fromBatch }: Order): string {
  if (file === '-') return 'stdin';
  return file ?? fromBatch?.split(':')[0] ?? '';
}

function isLive({ mode, kind }: Scope): boolean {
  return mode === 'live' && kind === 'message';
}

async function openRows(
  { context, database, signals }: Desk,
  { file = '', fromBatch }: Order,
  { scope, typed }: { readonly scope: Scope; readonly typed: Settings },
): Promise<Input> {
  if (fromBatch !== undefined) return peopleOf(context, database, { owner: scope, fromBatch });
  const { encoding, sheet } = typed.effective;
  return openInput(context, file, { encoding, sheet, signal: signals.stop });
}

/** A runner that forgets everything would send everything again, each time. */
function refuseWithoutMemory(context: Context, { target }: BatchClient, { kind, noMemory }: Order): void {
  const { interactive, given } = context;
  const isForgetful = target.mode !== 'sandbox' && !target.simulated && kind === 'message' && !given.dryRun;
  if (!isForgetful || hasRecord(context, 'ledger')) return;
  if (noMemory)
    return context.note('no-memory', 'this machine has no record yet: people who got the message before get it again');
  if (interactive || currentCaller(context).source !== 'BIZMSG_API_KEY') return;
  throw unsafe(
    'no-memory',
    'this machine has no record of who got the message before',
    'nothing was sent; keep the state folder on a disk, or --no-memory sends anyway, each time to all of the file',
  );
}

async function load(loading: Loading): Promise<Ended | Rehearsed | Tested> {
  const { desk, order, choice, scope, facts } = loading;
  const { database, context } = desk;
  const { host, given } = context;
  const draft = await openDraft(database, { id: newId(host.random), scope, target: choice.batch, now: host.now() });
  try {
    const copied = await fill(loading, draft);
    if (order.test !== undefined && !given.dryRun) return await sendTest(desk, { draft, to: order.test, facts });
    const plan = planOf(loading, draft);
    const expected = await foresee(loading, plan);
    if (given.dryRun) return await rehearse(loading, { plan, expected, copied });
    return await sendAfterQuestion(loading, { plan, expected, copied });
  } finally {
    if (!loading.isBegun) await removeRows(database, draft.id);
  }
}

/** Copies the file and the excluded phones into the draft. */
async function fill(loading: Loading, draft: Draft): Promise<Copied> {
  const { desk, order, settings, input, per, secrets } = loading;
  const { context, database, signals } = desk;
  const { effective, excludeFrom } = settings;
  const columns = columnsOf(input);
  const map = await order.mapper(effective, per, columns);
  // A table was checked by the mapper.
  const names = columns === undefined ? watchNames(namedFields(effective, per)) : undefined;
  const progress = await context.progress();
  let rows = 0;
  progress.follow(() => `reading ${whole(rows)} rows`);
  const reading = {
    database,
    draft,
    input,
    map,
    isUnwanted: whereFilter(whereOf(effective), columns),
    see: names?.see,
    isMobile: order.kind === 'message' ? await openMobiles() : undefined,
    secrets,
    signal: signals.stop,
    now: context.host.now,
    onRows: (count: number) => void (rows = count),
  };
  try {
    const copied = await readIntoDraft(reading);
    names?.refuseUnseen();
    const { country, encoding } = effective;
    const phones = await readExcluded(context, excludeFrom, { country, encoding, column: phoneIn(effective) });
    await exclude(database, draft.id, phones);
    return copied;
  } finally {
    progress.end();
  }
}

/** The columns of the data, without those of a report. */
function columnsOf({ columns }: Input): readonly string[] | undefined {
  return columns?.filter((name) => !isReportColumn(name));
}

function planOf({ order, choice, input, desk }: Loading, draft: Draft): Plan {
  const now = desk.context.host.now();
  const againAt = choice.batch?.againAt || (order.again ? now : 0);
  const { resend, noExcludeFrom: dropsExcluded } = order;
  return { draft, file: input.path ?? '', againAt, resend, dropsExcluded, now };
}

async function foresee({ desk, choice, order }: Loading, plan: Plan): Promise<Forecast> {
  const { database } = desk;
  const reached = choice.batch ? await countIn(database, choice.batch.id, 'sent', 'unsure', 'under way') : 0;
  const room = Math.max(0, (order.first ?? Infinity) - reached);
  return forecast(await decide(database, plan), room);
}

interface Decided {
  readonly plan: Plan;
  readonly expected: Forecast;
  readonly copied: Copied;
}

async function overviewOf(loading: Loading, { plan, expected, copied }: Decided): Promise<Overview> {
  const { desk, order, choice, settings, scope, input, facts } = loading;
  const { database } = desk;
  const { now, draft } = plan;
  const few = expected.toSend < 10 ? expected.toSend : 2;
  const samples = few > 0 ? await firstToSend(database, plan, few) : [];
  const excluded = draft.target && !order.noExcludeFrom ? await excludedCount(database, draft.target.id) : 0;
  return {
    name: choice.name,
    kind: order.kind,
    template: order.template,
    stoppedAt: choice.batch?.lastAt,
    file: input.name,
    unit: input.unit,
    country: settings.effective.country,
    kept: [...(excluded > 0 ? [`--exclude-from (${peopleText(excluded, 'message')})`] : []), ...settings.kept],
    profile: settings.profile,
    forecast: expected,
    problems: copied.problems,
    notMobile: copied.notMobile,
    samples,
    facts,
    footer: await footerOf({ ...desk, scope, toSend: expected.toSend, now }),
    now,
  };
}

async function rehearse(loading: Loading, decided: Decided): Promise<Rehearsed> {
  const { order, scope, choice } = loading;
  const overview = await overviewOf(loading, decided);
  return rehearsed(overview, { command: order.command, scope, id: choice.batch?.id });
}

async function sendAfterQuestion(loading: Loading, decided: Decided): Promise<Ended> {
  const { desk, order, scope, choice, input, settings } = loading;
  const { context, database, worker, signals } = desk;
  const { host } = context;
  refuseOtherNumbers(context, scope, decided.copied);
  await refuseListedTwice(context, database, { ...decided, scope, acceptsFirst: order.per === 'phone' });
  const { plan, expected } = await answered(loading, decided);
  if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
  const hints = await heldHints(database, plan.draft, expected);
  const kept = {
    name: choice.name,
    per: loading.per,
    told: jsonText(settings.told),
    command: jsonText(host.argv.map((word) => redact(word))),
    columns: jsonText({ names: columnsOf(input) ?? null, separator: input.separator ?? null }),
  };
  signals.take();
  const begun = await begin(database, { ...plan, now: host.now() }, kept, worker);
  if (begun.kind === 'changed')
    throw unsafe(
      'batch-changed',
      `another process has changed batch ${choice.name}`,
      'nothing was sent; repeat the command',
    );
  loading.isBegun = true;
  const { batch } = begun;
  rememberBatches(host, [batch.name, ...batchesSeen(host)]);
  const progress = await context.progress();
  progress.follow(() => 'loading');
  const isUnwanted = unwantedCells(settings.told, columnsOf(input));
  await apply(database, plan, { batch, worker, clock: host.now, isUnwanted }).finally(progress.end);
  return sendAndReport(desk, {
    command: order.command,
    batch,
    isNew: choice.batch === undefined,
    isOfFile: true,
    resend: order.resend,
    first: order.first,
    file: input.path === undefined ? undefined : input.name,
    changed: expected.changed,
    newlyChanged: expected.newlyChanged,
    isUnlisted: loading.isUnlisted,
    toSend: expected.toSend,
    heldHints: hints,
  });
}

/** With the answer that the people who got it before get it once more, it is decided again. */
async function answered(loading: Loading, decided: Decided): Promise<Decided> {
  const { desk, order, scope, settings } = loading;
  const { context } = desk;
  const { plan, expected } = decided;
  if (settings.profile.length > 0) context.note('settings', `settings of the profile: ${settings.profile.join(' · ')}`);
  const ask = () =>
    confirmed(context, {
      isLive: scope.mode === 'live',
      kind: order.kind,
      forecast: expected,
      atMost: order.atMost,
      isAsked: loading.isAsked,
      mayRepeat: isLive(scope) && plan.againAt === 0,
      mayTest: order.kind === 'message',
      overview: () => overviewOf(loading, decided),
    });
  let answer = await ask();
  for (; answer === 'test'; answer = await ask()) {
    const to = await askForPhone(context, 'Your phone', '--test');
    const { test } = await sendTest(desk, { draft: plan.draft, to, facts: loading.facts });
    context.reporter.say(`Sent a test to ${test.to}`);
  }
  if (answer === 'send') return decided;
  const again = { ...plan, againAt: context.host.now() };
  const all = await foresee(loading, again);
  refuseTooMany(all.toSend, order.atMost);
  return { ...decided, plan: again, expected: all };
}

/** Whether the kept `--where` excludes a stored row. */
export function unwantedCells(
  told: Told,
  columns: readonly string[] | undefined,
): ((cells: string) => boolean) | undefined {
  const conditions = whereOf(told);
  if (conditions.length === 0) return undefined;
  const isUnwanted = whereFilter(conditions, columns);
  return (cells) => {
    const fields = parseJson(cells);
    return isRecord(fields) && isUnwanted(fields);
  };
}
