import { CliError, unsafe, usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { profileOption, shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { isDead, workerText } from '../../base/worker.ts';
import type { Context } from '../../cli/command.ts';
import { argument, knowing, required } from '../../cli/params.ts';
import { type Batch, isWorking } from '../../store/batch.ts';
import { declareDead } from '../../store/work.ts';
import type { StoredBatch, StoredBatches } from './stored.ts';

const nameText = 'its name, or the beginning of its id';
export const nameParam = knowing('batches', required('<batch>', nameText));
export const optionalName = knowing('batches', argument('[batch]', nameText));

/** The batch to read (default: the latest). One that only another account or mode has is meant, too. */
export function batchToRead({ batches }: StoredBatches, text: string | undefined): StoredBatch {
  const named = text === undefined ? batches : matching(batches, text);
  const current = named.filter(({ isCurrent }) => isCurrent);
  if (text !== undefined) return single(batches, text, current.length > 0 ? current : named);
  const latest = current.at(-1) ?? batches.at(-1);
  if (latest) return latest;
  throw missing('there are no batches yet', 'bizmsg send-batch and contacts import make one');
}

/** The batch to change: of the current account and mode, or one by its whole id. A dead worker loses it. */
export async function batchToChange({ host }: Context, { batches }: StoredBatches, text: string): Promise<StoredBatch> {
  const named = matching(batches, text);
  const [other] = named;
  const own = named.filter(({ isCurrent, batch }) => isCurrent || batch.id === text.toLowerCase());
  if (other && own.length === 0) throw elsewhere(other);
  const stored = single(batches, text, own);
  await freeDead(stored, host);
  return stored;
}

/** Batches with this name, or whose id begins with it. */
export function matching(batches: readonly StoredBatch[], text: string): readonly StoredBatch[] {
  const wanted = text.toLowerCase();
  const named = batches.filter(({ batch }) => batch.name === wanted);
  return named.length > 0 ? named : batches.filter(({ batch }) => batch.id.startsWith(wanted));
}

function single(batches: readonly StoredBatch[], text: string, named: readonly StoredBatch[]): StoredBatch {
  const latest = named.at(-1);
  // Data that the sandbox had one after another may have batches of the same name.
  const isSame = named.every(({ batch, isCurrent }) => isCurrent && batch.name === latest?.batch.name);
  if (latest && (named.length === 1 || isSame)) return latest;
  const names = batches.map(({ batch }) => batch.name);
  const near = suggest(text, names);
  if (!latest) throw missing(`there is no batch "${text}"`, near && `did you mean ${near}?`);
  const some = named
    .slice(-3)
    .map(({ batch, profile }) => `${batch.id} (${batch.name}, ${batch.scope.mode}, ${profile ?? batch.scope.account})`);
  throw usage(`"${text}" is ${named.length} batches`, `name one by its id: ${some.join(', ')}`);
}

function missing(message: string, hint = 'bizmsg batches list shows all'): CliError {
  return new CliError('notFound', 'batch-unknown', message, { hint });
}

function elsewhere({ batch: { id, name, scope }, profile }: StoredBatch): CliError {
  const whose = profile ?? scope.account;
  const message = `batch ${name} is of ${whose} (${scope.mode}), which is not the account and mode in use`;
  return usage(message, `name it by its id: ${id}`);
}

/** The name as another command takes it, with the options that lead to its account and mode. */
export function typedName({ batch, isCurrent, profile }: StoredBatch, { given }: Context): string {
  if (!isCurrent && profile === undefined) return batch.id;
  const options = isCurrent ? profileOption(given.profile, given.mode) : profileOption(profile, batch.scope.mode);
  return `${shellQuote(batch.name)}${options}`;
}

/** Frees a batch whose worker on this machine is gone; otherwise it stays taken until its lease ends. */
export async function freeDead({ batch, record }: StoredBatch, host: Pick<Host, 'now' | 'kill'>): Promise<void> {
  const { id, worker } = batch;
  if (isWorking(batch, host.now()) && isDead(worker, host)) await declareDead(record.database, id, worker);
}

/** Why a batch was not changed. */
export function unchanged({ name, worker }: Batch, kind: 'working' | 'none', verb = 'works on'): CliError {
  if (kind === 'none') return missing(`batch ${name} was deleted meanwhile`);
  const hint = `nothing was done; wait for it, or end it with Ctrl-C; bizmsg batches show ${shellQuote(name)}`;
  return unsafe('batch-working', `${workerText(worker)} ${verb} ${name}`, hint);
}
