import { CliError, unsafe, usage } from '../../base/errors.ts';
import type { Host } from '../../base/host.ts';
import { profileOption, shellQuote } from '../../base/shell-quote.ts';
import { suggest } from '../../base/suggest.ts';
import { isDead, workerText } from '../../base/worker.ts';
import type { Context } from '../../cli/command.ts';
import { argument, knowing, required } from '../../cli/params.ts';
import { rememberBatches, type SeenTemplate, templatesSeen } from '../../cli/seen.ts';
import { optionalCaller, realAccount } from '../../session/caller.ts';
import { configFolder } from '../../session/folders.ts';
import { local } from '../../session/profiles/fields.ts';
import { type Profile, profileOf, readStore } from '../../session/profiles/store.ts';
import { closeAll, type OpenRecord, openRecords } from '../../session/record.ts';
import { type Batch, batchesNamed, isWorking, type Owner } from '../../store/batch.ts';
import { listBatches } from '../../store/views.ts';
import { declareDead } from '../../store/work.ts';

/** A batch, and the record that has it. */
export interface StoredBatch {
  readonly batch: Batch;
  readonly record: OpenRecord;
  /** The profile of its account, if there is one. */
  readonly profile: string | undefined;
  /** Whether it is of the current caller's account and mode. */
  readonly isCurrent: boolean;
}

export interface StoredBatches {
  /** Batches of all accounts and modes, the latest last. */
  readonly batches: readonly StoredBatch[];
  readonly records: readonly OpenRecord[];
  readonly owner: CurrentOwner | undefined;
}

/** Passes the batches that this machine and its team have to a function, with their records open. */
export async function withBatches<T>(context: Context, use: (stored: StoredBatches) => Promise<T>): Promise<T> {
  const [owner, profileFor] = [await currentOwner(context), profilesByAccount(context)];
  const records = await openRecords(context);
  try {
    const batches: StoredBatch[] = [];
    for (const record of records)
      for (const batch of await listBatches(record.database)) {
        const profile = record.isLocal ? local : profileFor(batch.scope.account)?.name;
        batches.push({ batch, record, profile, isCurrent: owner !== undefined && isOwn(record, batch.scope, owner) });
      }
    batches.sort((a, b) => a.batch.lastAt - b.batch.lastAt);
    rememberBatches(context.host, batches.map(({ batch }) => batch.name).toReversed());
    return await use({ batches, records, owner });
  } finally {
    await closeAll(records);
  }
}

/** Whose batches the current caller's are. */
interface CurrentOwner extends Pick<Owner, 'mode'> {
  readonly isLocal: boolean;
  /** Undefined for all data that the sandbox on this machine ever had, while it does not run. */
  readonly account: string | undefined;
}

async function currentOwner(context: Context): Promise<CurrentOwner | undefined> {
  const caller = optionalCaller(context);
  if (!caller) return undefined;
  const mode = caller.mode === 'sandbox' ? 'sandbox' : 'live';
  const sandboxes = await context.sandboxes();
  const running = await (caller.kind === 'local' ? sandboxes.find() : sandboxes.at(caller.baseUrl));
  if (running) return { mode, isLocal: true, account: `sandbox:${running.dataId}` };
  if (caller.kind === 'local') return { mode, isLocal: true, account: undefined };
  return { mode, isLocal: false, account: realAccount(context.host.env, caller) };
}

function isOwn(record: OpenRecord, scope: Owner, owner: CurrentOwner): boolean {
  const { account = scope.account, mode, isLocal } = owner;
  return record.isLocal === isLocal && scope.account === account && scope.mode === mode;
}

/** Finds the profile of an account; of several the preferred one, or the first. */
function profilesByAccount({ host, given }: Context) {
  const store = readStore(configFolder(host));
  const profiles = new Map<string, Profile & { readonly name: string }>();
  const preferred = given.profile ?? host.env.BIZMSG_PROFILE ?? store.current;
  for (const name of [preferred ?? local, ...Object.keys(store.profiles)]) {
    const profile = profileOf(store, name);
    const account = profile && realAccount(host.env, profile);
    if (profile && account !== undefined && !profiles.has(account)) profiles.set(account, { ...profile, name });
  }
  return (account: string) => profiles.get(account);
}

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

export function matching(batches: readonly StoredBatch[], text: string): readonly StoredBatch[] {
  const all = batches.map(({ batch }) => batch);
  const named = new Set(batchesNamed(all, text));
  return batches.filter(({ batch }) => named.has(batch));
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

/** The account of a message. */
export interface SenderFacts {
  readonly profile: string | undefined;
  readonly templates: readonly SeenTemplate[];
}

/** Finds the profile of an account, and the templates that were seen there. */
export function senders(context: Context) {
  const profileFor = profilesByAccount(context);
  const senders = new Map<string, SenderFacts>();
  return ({ account, mode }: Owner, isLocal = false): SenderFacts => {
    const { name, baseUrl = account } = profileFor(account) ?? {};
    const place = isLocal ? ({ kind: 'local' } as const) : ({ kind: 'service', baseUrl, mode } as const);
    const key = `${mode} ${account}`;
    const sender = senders.get(key) ?? { profile: name, templates: templatesSeen(context.host, place) };
    senders.set(key, sender);
    return sender;
  };
}
