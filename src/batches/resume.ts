import { unsafe } from '../base/errors.ts';
import { profileOption } from '../base/shell-quote.ts';
import type { Context, Emit } from '../cli/command.ts';
import type { Input } from '../cli/params.ts';
import { refuseWrongClock } from '../session/clock.ts';
import type { BatchRecord } from '../session/session.ts';
import { type Batch, isWorking } from '../store/batch.ts';
import { decideResume, samplesToResume } from '../store/decide.ts';
import { beginResume, redecide } from '../store/load.ts';
import { waitingBatches } from '../store/views.ts';
import { requireBatch, untilFree } from './choose.ts';
import { confirmed } from './confirm.ts';
import { type Desk, openDesk } from './desk.ts';
import { readExcluded } from './exclude.ts';
import { sendAndReport } from './finish.ts';
import { forecast } from './forecast.ts';
import { isLive } from './loading.ts';
import { unwantedCells } from './mapping/columns.ts';
import { type resumeParams, whereOf } from './options.ts';
import { overviewOf } from './overview.ts';
import { type Settings, settingsOf, toldOf } from './settings.ts';
import { interruptedEarly, untilSignaled } from './stop.ts';
import { commandOf, type Ended } from './summary.ts';
import { findTemplate } from './template.ts';

export interface Resumption extends Input<typeof resumeParams> {
  /** A name or the beginning of an id; undefined for the only batch that waits. */
  readonly name: string | undefined;
}

/** Goes on with the stored rows of a batch, without its file. */
export async function resume(context: Context, resumption: Resumption, emit: Emit): Promise<Ended> {
  const signals = untilSignaled(context);
  try {
    const client = await context.clientForBatch(signals);
    const record = await client.record();
    const { database } = record;
    const batch = await chosenBatch(context, record, resumption.name);
    const settings = settingsOf(context, batch.scope.kind, toldOf(batch.told), resumption);
    const desk = await openDesk({ context, emit, signals, client, database }, settings.effective);
    return await goOn(desk, batch, resumption, settings);
  } finally {
    signals.release();
  }
}

/** A batch that can go on; waits for the process that works on it, or refuses. */
async function chosenBatch(context: Context, record: BatchRecord, name: string | undefined): Promise<Batch> {
  const { database } = record;
  const batch = name === undefined ? await onlyWaiting(context, record) : await requireBatch(database, record, name);
  if (batch.isCancelled)
    throw unsafe('batch-cancelled', `batch ${batch.name} was cancelled`, 'nothing was sent; use another batch');
  if (isWorking(batch, context.host.now())) {
    await untilFree(context, database, batch);
    return chosenBatch(context, record, batch.id);
  }
  if (batch.isLoading)
    throw unsafe('batch-cut-off', `batch ${batch.name} was not loaded to its end`, `repeat: ${commandOf(batch)}`);
  return batch;
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

async function goOn(desk: Desk, batch: Batch, resumption: Resumption, settings: Settings): Promise<Ended> {
  const { context, database, worker, signals, client } = desk;
  const { host } = context;
  const { scope } = batch;
  const { resend, atMost } = resumption;
  const { text, isUnlisted } = await findTemplate(desk, scope);
  if (isLive(scope)) refuseWrongClock(client.skew());
  const excluded = await readExcluded(context, settings.excludeFrom, settings.effective);
  const going = { batch, resend, now: host.now() };
  const expected = forecast(await decideResume(database, going), Infinity);
  await confirmed(context, {
    scope,
    forecast: expected,
    atMost,
    profile: settings.profile,
    overview: async () => {
      const samples = await samplesToResume(database, going, 2);
      const { name } = batch;
      return overviewOf(desk, { name, scope, batch, settings, forecast: expected, samples, text, now: going.now });
    },
  });
  if (signals.stop.aborted) throw interruptedEarly(signals.stop.reason);
  signals.take();
  const begun = await beginResume(database, { batch, excluded, resend, worker, now: host.now() });
  const isUnwanted = unwantedCells(whereOf(settings.told));
  await redecide(database, { batch: begun, worker, clock: host.now, isUnwanted });
  return sendAndReport(desk, { command: 'batches resume', batch: begun, resend, expected, isUnlisted });
}
