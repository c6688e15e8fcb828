import { CliError, unsafe, usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { sleep } from '../base/sleep.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { timeText, whole } from '../cli/output/figures.ts';
import { type Batch, batchesNamed, batchesOf, batchWithId, isWorking, type Owner } from '../store/batch.ts';
import { lease } from '../store/schema.ts';
import { countIn } from '../store/tally.ts';
import { type Wanted, whichBatch } from '../store/which.ts';
import { declareDead } from '../store/work.ts';
import { interruptedEarly } from './stop.ts';
import { describeWorker, isDead, workerText } from '../base/worker.ts';

export interface Choice {
  /** Undefined for a new batch. */
  readonly batch: Batch | undefined;
  readonly name: string;
}

/** Finds the batch that a command means, waits for the process that works on it, or asks a person. */
export async function chooseBatch(context: Context, database: Database, wanted: Omit<Wanted, 'now'>): Promise<Choice> {
  for (;;) {
    const which = await whichBatch(database, { ...wanted, now: context.host.now() });
    switch (which.kind) {
      case 'new':
        return { batch: undefined, name: which.name };
      case 'batch':
        return goOn(context, database, which, wanted);
      case 'unnamed':
        throw usage('a live batch in a script needs a name', `add --batch ${shellQuote(which.proposal)}`);
      case 'different':
        throw different(which.batch, wanted);
      case 'cancelled':
        return another(context, which.batch, which.fresh);
      case 'working':
        await untilFree(context, database, which.batch);
    }
  }
}

/** Without `--batch`, a person decides whether the latest batch goes on. */
async function goOn(
  context: Context,
  database: Database,
  { batch, fresh }: { readonly batch: Batch; readonly fresh: string },
  { name, scope }: Pick<Wanted, 'name' | 'scope'>,
): Promise<Choice> {
  const same = { batch, name: batch.name };
  if (name !== undefined || !context.interactive || context.given.yes || scope.kind === 'import') return same;
  const now = context.host.now();
  const waiting = await countIn(database, batch.id, 'waiting');
  const when = timeText(batch.lastAt, now);
  const going = { name: `Go on with ${batch.name}: ${whole(waiting)} wait, last used ${when}`, choice: same };
  const choices = [going, { name: `Start a new batch, ${fresh}`, choice: { batch: undefined, name: fresh } }];
  return (await context.choose('Which batch?', choices)).choice;
}

async function another(context: Context, { name }: Batch, fresh: string): Promise<Choice> {
  if (!context.interactive)
    throw unsafe('batch-cancelled', `batch ${name} was cancelled`, 'nothing was sent; use another --batch NAME');
  await context.interaction.confirm(`Batch ${name} was cancelled. Start a new batch, ${fresh}?`);
  return { batch: undefined, name: fresh };
}

function different({ name, scope, per }: Batch, wanted: Pick<Wanted, 'scope' | 'per'>): CliError {
  const describe = (kind: string, template: string) => (kind === 'import' ? 'an import' : `template ${template}`);
  const [has, asked] = [describe(scope.kind, scope.template), describe(wanted.scope.kind, wanted.scope.template)];
  const perText = (column: string | undefined) => (column ? `--per ${shellQuote(column)}` : 'no --per');
  const isOther = has !== asked;
  const message = isOther
    ? `batch ${name} is for ${has}, and this command has ${asked}`
    : `batch ${name} was made with ${perText(per)}, and this command has ${perText(wanted.per)}`;
  return usage(message, 'nothing was sent; use another --batch NAME');
}

/** The batch with a name, or with the beginning of an id. */
export async function requireBatch(database: Database, owner: Owner, name: string): Promise<Batch> {
  const [batch, ...others] = batchesNamed(await database.read(() => batchesOf(owner)), name);
  if (batch && others.length === 0) return batch;
  const message = batch ? `several batches begin with ${shellQuote(name)}` : `there is no batch ${shellQuote(name)}`;
  throw new CliError('notFound', 'not-found', message, { hint: 'bizmsg batches list shows them' });
}

/** Milliseconds between two looks at a process on another machine. */
const glance = 1_000;

/** Waits until no process works on a batch, or throws. A process that died on this machine is replaced immediately. */
export async function untilFree(context: Context, database: Database, batch: Batch): Promise<void> {
  const { host, interaction, interactive } = context;
  if (isDead(batch.worker, host)) return declareDead(database, batch.id, batch.worker);
  const isElsewhere = describeWorker(batch.worker)?.host !== undefined;
  if (!interactive && !isElsewhere) throw await working(context, database, batch);
  if (interactive) await interaction.confirm(`${await workingText(context, database, batch)}. Wait for it?`);
  else context.note('waiting', silentText(batch, host.now()));
  const progress = await context.progress();
  let far = '';
  progress.follow(() => far);
  const onLook = async () => void (far = `waiting for batch ${batch.name} · ${await farText(database, batch)}`);
  await watch(context, database, { batch, onLook }).finally(progress.end);
}

/** A worker whose lease was not extended for its whole length, by this machine's steady clock, is dead. */
async function watch(
  context: Context,
  database: Database,
  { batch, onLook }: { readonly batch: Batch; onLook(): Promise<void> },
): Promise<void> {
  const { host, interactive } = context;
  let seen = batch;
  let seenAt = host.steady();
  for (;;) {
    await onLook();
    await sleep(glance, host.later, host.signal);
    if (host.signal.aborted) throw interruptedEarly(host.signal.reason);
    const stored = await database.read(() => batchWithId(batch.id));
    if (!stored || !isWorking(stored, host.now()) || stored.worker !== batch.worker) return;
    if (isDead(batch.worker, host) || host.steady() - seenAt >= lease)
      return declareDead(database, batch.id, batch.worker);
    if (stored.until === seen.until) continue;
    if (!interactive) throw await working(context, database, stored);
    [seen, seenAt] = [stored, host.steady()];
  }
}

async function working(context: Context, database: Database, batch: Batch): Promise<CliError> {
  const message = await workingText(context, database, batch);
  return unsafe('batch-working', message, 'nothing was sent; repeat the command when it has ended');
}

async function workingText({ host }: Context, database: Database, batch: Batch): Promise<string> {
  const since = timeText(batch.lastAt, host.now());
  return `${workerText(batch.worker)} has worked on batch ${batch.name} since ${since}: ${await farText(database, batch)}`;
}

async function farText(database: Database, { id }: Batch): Promise<string> {
  const waiting = await countIn(database, id, 'waiting', 'under way');
  const done = await countIn(database, id, 'sent', 'failed', 'unsure');
  return `${whole(done)} of ${whole(done + waiting)} done`;
}

function silentText(batch: Batch, now: number): string {
  const rest = Math.min(lease, Math.max(0, batch.until - now));
  const seconds = (milliseconds: number) => Math.ceil(milliseconds / 1_000);
  const host = describeWorker(batch.worker)?.host ?? 'another machine';
  return `${host} was last seen ${seconds(lease - rest)} s ago, ${seconds(rest)} s more`;
}
