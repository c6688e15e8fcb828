import { CliError, unsafe } from '../base/errors.ts';
import { profileOption, shellQuote } from '../base/shell-quote.ts';
import type { Context, Emit } from '../cli/command.ts';
import { refuseWrongClock } from '../session/clock.ts';
import type { BatchRecord } from '../session/session.ts';
import { type Batch, findBatch, isWorking } from '../store/batch.ts';
import { decideResume, firstToResume, type Resend } from '../store/decide.ts';
import { excludedCount } from '../store/draft.ts';
import { beginResume, redecide } from '../store/load.ts';
import { storedBatch, waitingBatches } from '../store/views.ts';
import { phoneIn } from './ask.ts';
import { untilFree } from './choose.ts';
import { columnsIn } from './columns-in.ts';
import { confirmed } from './confirm.ts';
import { readExcluded } from './exclude.ts';
import { sendAndReport } from './finish.ts';
import { footerOf } from './footer.ts';
import { type Forecast, forecast } from './forecast.ts';
import { hoursOf, rateOf } from './options.ts';
import type { Desk } from './order.ts';
import { type Overview, peopleText } from './overview.ts';
import { unwantedCells } from './send-file.ts';
import { type Settings, settingsOf } from './settings.ts';
import { interruptedEarly, untilSignaled } from './stop.ts';
import { commandOf, type Ended } from './summary.ts';
import type { TemplateFacts } from '../cli/templates.ts';
import { listTemplates } from './template.ts';
import { type Told, toldOf } from './told.ts';
import { workerName } from '../base/worker.ts';

export interface Resumption {
  /** A name or the beginning of an id; undefined for the only batch that waits. */
  readonly name: string | undefined;
  readonly told: Pick<Told, 'hours' | 'rate'>;
  readonly excludeFrom: readonly string[];
  readonly resend: readonly Resend[];
  readonly atMost: number | undefined;
}

/** Goes on with the stored rows of a batch, without its file. */
export async function resume(context: Context, resumption: Resumption, emit: Emit): Promise<Ended> {
  const { host } = context;
  const signals = untilSignaled(context);
  try {
    const client = await context.clientForBatch(signals);
    const record = await client.record();
    const { database } = record;
    const batch = await chosenBatch(context, record, resumption.name);
    const settings = settingsOf(context, toldOf(batch.told), resumption);
    const hours = hoursOf(settings.effective);
    const closedFor = hours && (() => hours.opensAt(host.now()) - host.now());
    const sender = await client.connect({ rate: rateOf(settings.effective), closedFor });
    const desk = { context, emit, signals, client, sender, database, worker: workerName(host), hours };
    return await goOn(desk, batch, { resumption, settings });
  } finally {
    signals.release();
  }
}

/** A batch that can go on; waits for the process that works on it, or refuses. */
async function chosenBatch(context: Context, record: BatchRecord, name: string | undefined): Promise<Batch> {
  const { database } = record;
  const batch = name === undefined ? await onlyWaiting(context, record) : await named(record, name);
  if (batch.isCancelled)
    throw unsafe('batch-cancelled', `batch ${batch.name} was cancelled`, 'nothing was sent; use another batch');
  if (isWorking(batch, context.host.now())) {
    await untilFree(context, database, batch);
    const stored = await storedBatch(database, batch.id);
    return stored ?? (await named(record, batch.name));
  }
  if (batch.isLoading)
    throw unsafe('batch-cut-off', `batch ${batch.name} was not loaded to its end`, `repeat: ${commandOf(batch)}`);
  return batch;
}

async function named(record: BatchRecord, name: string): Promise<Batch> {
  const found = await findBatch(record.database, record, name);
  if (found.kind === 'batch') return found.batch;
  const message =
    found.kind === 'none' ? `there is no batch ${shellQuote(name)}` : `several batches begin with ${name}`;
  throw new CliError('notFound', 'not-found', message, { hint: 'bizmsg batches list shows them' });
}

async function onlyWaiting({ given }: Context, record: BatchRecord): Promise<Batch> {
  const [batch, ...others] = await waitingBatches(record.database, record);
  if (!batch) throw unsafe('batch-unnamed', 'no batch waits', 'bizmsg batches list shows all');
  if (others.length === 0) return batch;
  const commands = [batch, ...others].map(
    ({ name }) => `bizmsg batches resume ${name}${profileOption(given.profile, given.mode)}`,
  );
  throw unsafe('batch-unnamed', 'several batches wait', commands.join('\n'));
}

interface Going {
  readonly resumption: Resumption;
  readonly settings: Settings;
}

async function goOn(desk: Desk, batch: Batch, { resumption, settings }: Going): Promise<Ended> {
  const { context, database, worker, signals, client, sender } = desk;
  const { host } = context;
  const { resend, atMost } = resumption;
  const isMessage = batch.scope.kind === 'message';
  const list = isMessage ? await listTemplates(context, sender.tryLookup) : [];
  if (isMessage && batch.scope.mode === 'live') refuseWrongClock(client.skew());
  const facts = list.find(({ name }) => name === batch.scope.template);
  const excluded = await readExcluded(context, settings.excludeFrom, {
    ...settings.effective,
    column: phoneIn(settings.told),
  });
  const expected = forecast(await decideResume(database, { batch, resend, now: host.now() }), Infinity);
  await confirmed(context, {
    isLive: batch.scope.mode === 'live',
    kind: batch.scope.kind,
    forecast: expected,
    atMost,
    isAsked: false,
    mayRepeat: false,
    mayTest: false,
    overview: () => overviewOf(desk, batch, { resumption, settings, expected, facts }),
  });
  if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
  signals.take();
  const begun = await beginResume(database, { batch, excluded, resend, worker, now: host.now() });
  if (begun.kind === 'changed')
    throw unsafe(
      'batch-changed',
      `another process has changed batch ${batch.name}`,
      'nothing was sent; repeat the command',
    );
  const { columns } = columnsIn(batch);
  const isUnwanted = unwantedCells(settings.told, columns);
  await redecide(database, { batch: begun.batch, worker, clock: host.now, isUnwanted });
  return sendAndReport(desk, {
    command: 'batches resume',
    batch: begun.batch,
    isNew: false,
    isOfFile: false,
    resend,
    first: undefined,
    file: undefined,
    changed: 0,
    newlyChanged: 0,
    isUnlisted: list.length > 0 && !facts,
    toSend: expected.toSend,
    heldHints: [],
  });
}

async function overviewOf(
  { database, client, sender, hours, context }: Desk,
  batch: Batch,
  {
    resumption,
    settings,
    expected,
    facts,
  }: Going & { readonly expected: Forecast; readonly facts: TemplateFacts | undefined },
): Promise<Overview> {
  const now = context.host.now();
  const { scope, id } = batch;
  const samples = await firstToResume(database, { batch, resend: resumption.resend, now }, 2);
  const excluded = await excludedCount(database, id);
  return {
    name: batch.name,
    kind: scope.kind,
    template: scope.template,
    stoppedAt: batch.lastAt,
    file: undefined,
    unit: 'line',
    country: undefined,
    kept: [...(excluded > 0 ? [`--exclude-from (${peopleText(excluded, 'message')})`] : []), ...settings.kept],
    profile: settings.profile,
    forecast: expected,
    problems: [],
    notMobile: { reason: '', count: 0, lines: [] },
    samples,
    facts,
    footer: await footerOf({ database, client, sender, scope, toSend: expected.toSend, hours, now }),
    now,
  };
}
