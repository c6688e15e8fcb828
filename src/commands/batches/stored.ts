import { outcomeOf, reasonOf } from '../../batches/outcomes.ts';
import { messageText } from '../../batches/template.ts';
import type { Context } from '../../cli/command.ts';
import { rememberBatches, type SeenTemplate, templatesSeen } from '../../cli/seen.ts';
import { optionalCaller, realAccount } from '../../session/caller.ts';
import { configFolder } from '../../session/folders.ts';
import { local } from '../../session/profiles/fields.ts';
import { type Profile, profileOf, readStore } from '../../session/profiles/store.ts';
import { closeAll, type OpenRecord, openRecords } from '../../session/record.ts';
import type { Batch, Owner } from '../../store/batch.ts';
import type { Sending } from '../../store/history.ts';
import { listBatches } from '../../store/views.ts';

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

/** Finds the profile of an account, and the templates that were seen there. */
export function senders(context: Context): (owner: Owner, isLocal?: boolean) => SenderFacts {
  const profileFor = profilesByAccount(context);
  const senders = new Map<string, SenderFacts>();
  return ({ account, mode }, isLocal = false) => {
    const { name, baseUrl = account } = profileFor(account) ?? {};
    const place = isLocal ? ({ kind: 'local' } as const) : ({ kind: 'service', baseUrl, mode } as const);
    const key = `${mode} ${account}`;
    const sender = senders.get(key) ?? { profile: name, templates: templatesSeen(context.host, place) };
    senders.set(key, sender);
    return sender;
  };
}

/** A message to a person, or from one, as a history lists it. */
export interface HistoryRow {
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly phone: string;
  readonly template: string | null;
  /** Null once it is erased. */
  readonly text: string | null;
  readonly outcome: string | null;
  /** When it was read, for example. */
  readonly outcome_at: string | null;
  readonly batch: string | null;
  readonly reason: string | null;
  readonly profile: string | null;
  readonly mode: string | null;
  readonly id: string | null;
}

/** The account of a message. */
interface SenderFacts {
  readonly profile: string | undefined;
  readonly templates: readonly SeenTemplate[];
}

export function sendingRow(sending: Sending, { profile, templates }: SenderFacts): HistoryRow {
  const { at, who, scope, body, batch, by, state, messageId } = sending;
  const isElsewhere = state === 'sent' && by !== undefined;
  const before = `got it before, by ${by === '' ? 'a single message' : `batch ${by}`}`;
  const seen = templates.find(({ name }) => name === scope.template);
  return {
    at: new Date(at).toISOString(),
    direction: 'out',
    phone: who,
    template: scope.template,
    text: body === undefined ? null : messageText(body, seen),
    outcome: isElsewhere ? 'not-sent' : outcomeOf[state],
    outcome_at: null,
    batch: batch ?? null,
    reason: isElsewhere ? before : (reasonOf(sending) ?? (scope.kind === 'test' ? 'a test' : null)),
    profile: profile ?? scope.account,
    mode: scope.mode,
    id: messageId ?? null,
  };
}
