import { CliError, type ErrorCode, unsafe, usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { profileOption, shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { isDead, workerText } from '../../base/worker.ts';
import { argument, knowing, required } from '../../cli/params.ts';
import { type Batch, isWorking } from '../../store/batch.ts';
import { declareDead } from '../../store/work.ts';
import type { StoredBatch, StoredBatches } from './stored.ts';

export const nameParam = knowing('batches', required('<batch>', 'its name, or the beginning of its id'));
export const optionalName = knowing('batches', argument('[batch]', 'its name, or the beginning of its id'));

/** The batch to read. One that only another account or mode has is meant, too. */
export function batchToRead({ batches }: StoredBatches, text: string | undefined): StoredBatch {
  if (text === undefined) return latest(batches);
  const named = matching(batches, text);
  const own = named.filter(({ isCurrent }) => isCurrent);
  if (own.length === 0 && named.length > 1) throw ambiguous(text, named, 'name one by its id');
  return single(batches, text, own.length > 0 ? own : named);
}

function latest(batches: readonly StoredBatch[]): StoredBatch {
  const batch = batches.findLast(({ isCurrent }) => isCurrent) ?? batches.at(-1);
  if (batch) return batch;
  throw missing('there are no batches yet', 'bizmsg send-batch and contacts import make one');
}

/** The batch to change: of the current account and mode, or one by its whole id. */
export function batchToChange({ batches }: StoredBatches, text: string): StoredBatch {
  const named = matching(batches, text);
  const [other] = named;
  const own = named.filter(({ isCurrent, batch }) => isCurrent || batch.id === text.toLowerCase());
  if (other && own.length === 0) throw elsewhere(other);
  return single(batches, text, own);
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
  const isOne = named.every(({ batch }) => batch.name === latest?.batch.name);
  if (latest && isOne) return latest;
  if (latest) throw ambiguous(text, named, 'type more of the id');
  const near = suggest(
    text,
    batches.map(({ batch }) => batch.name),
  );
  throw missing(
    `there is no batch "${text}"`,
    near === undefined ? 'see bizmsg batches list' : `did you mean ${near}?`,
  );
}

export function missing(message: string, hint = 'bizmsg batches list shows all'): CliError {
  return new CliError('notFound', 'batch-unknown', message, { hint });
}

function ambiguous(text: string, named: readonly StoredBatch[], advice: string): CliError {
  const some = named
    .slice(-3)
    .map(({ batch, profile }) => `${batch.id} (${batch.name}, ${batch.scope.mode}, ${profile ?? batch.scope.account})`);
  return usage(`"${text}" is ${named.length} batches`, `${advice}: ${some.join(', ')}`);
}

function elsewhere({ batch: { id, name, scope }, profile }: StoredBatch): CliError {
  const whose = profile ?? scope.account;
  const message = `batch ${name} is of ${whose} (${scope.mode}), which is not the account and mode in use`;
  return usage(message, `name it by its id: ${id}`);
}

/** The name as another command takes it, with the options that lead to its account and mode. */
export function typedName(
  { batch, isCurrent, profile }: StoredBatch,
  given: { readonly profile: string | undefined; readonly mode: string | undefined },
): string {
  if (!isCurrent && profile === undefined) return batch.id;
  const options = isCurrent ? profileOption(given.profile, given.mode) : profileOption(profile, batch.scope.mode);
  return `${shellQuote(batch.name)}${options}`;
}

/** Frees a batch whose worker on this machine is gone; otherwise it stays taken until its lease ends. */
export async function freeDead({ batch, record }: StoredBatch, host: Pick<Host, 'now' | 'kill'>): Promise<void> {
  const { id, worker } = batch;
  if (isWorking(batch, host.now()) && isDead(worker, host)) await declareDead(record.database, id, worker);
}

export function working(batch: Batch, isLoading = false): CliError {
  const code: ErrorCode = 'batch-working';
  const verb = isLoading ? 'loads' : 'works on';
  const hint = `nothing was done; wait for it, or end it with Ctrl-C; bizmsg batches show ${shellQuote(batch.name)}`;
  return unsafe(code, `${workerText(batch.worker)} ${verb} ${batch.name}`, hint);
}
