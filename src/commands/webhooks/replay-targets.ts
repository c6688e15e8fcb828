import type { Context } from '../../cli/command.ts';
import { forOption, usage } from '../../base/errors.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { Addressed } from '../../webhooks/forward/replay.ts';
import { damageNotes, select, type Selection } from './selection.ts';
import { deliveryIn, requireSendable } from './delivery-file.ts';

interface ReplayInput extends Selection {
  readonly ids: readonly string[];
  readonly file: string | undefined;
  readonly to: string | undefined;
}

export interface ReplayPlan {
  /** Destinations by event id. */
  readonly to: ReadonlyMap<string, URL>;
  readonly events: Iterable<Addressed>;
  /** True if the events are in the log, which then also records this replay. */
  readonly isReceived: boolean;
}

/** The events to replay and their destinations. */
export async function replayPlan(context: Context, { file, ...input }: ReplayInput): Promise<ReplayPlan> {
  if (file !== undefined) return planForFile(context, file, input);
  const [{ addressed }, { stateFolder }] = await Promise.all([
    import('../../webhooks/forward/replay.ts'),
    context.sandboxes(),
  ]);
  const onDamage = await damageNotes(context);
  const to = await destinations(context, input, onDamage);
  return { to, events: addressed(stateFolder, to, onDamage), isReceived: true };
}

async function destinations(
  context: Context,
  input: Omit<ReplayInput, 'file'>,
  onDamage: OnDamage,
): Promise<ReadonlyMap<string, URL>> {
  const [{ forwardUrl }, { webhookId }] = await Promise.all([
    import('../../webhooks/forward/routes.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const different = new Set<string>();
  const { to } = input;
  const given = to === undefined ? undefined : forOption('--to', () => forwardUrl(to));
  const found = new Map<string, URL>();
  const unsent: string[] = [];
  for (const { event, forwards } of await chosenEvents(context, input, onDamage)) {
    const last = given ?? (forwards[0] && forwardUrl(forwards[0].url));
    if (last) found.set(event.id, last);
    else unsent.push(event.id);
    different.add(webhookId(event) ?? event.id);
  }
  const [first] = unsent;
  if (first !== undefined) {
    const usual = input.failed === false ? undefined : await usualDestination(context, onDamage);
    if (usual === undefined)
      throw usage(`${first} was never forwarded, so it has no destination`, 'give one with --to');
    for (const id of unsent) found.set(id, forwardUrl(usual));
    const text = `events that were never forwarded: ${unsent.length}; they go to ${usual}, like all others`;
    context.note('never-forwarded', text);
  }
  if (different.size < found.size)
    context.note('again', `${found.size} deliveries of ${different.size} different events`);
  return found;
}

/** The only address that events were forwarded to; undefined if there are several or none. */
async function usualDestination(context: Context, onDamage: OnDamage): Promise<string | undefined> {
  const [{ newestFirst }, { stateFolder }] = await Promise.all([
    import('../../webhooks/log/history.ts'),
    context.sandboxes(),
  ]);
  const urls = new Set<string>();
  for (const { forwards } of newestFirst(stateFolder, onDamage)) {
    for (const { url } of forwards) urls.add(url);
    if (urls.size > 1) return undefined;
  }
  return [...urls][0];
}

async function planForFile(
  context: Context,
  file: string,
  { ids, to, ...which }: Omit<ReplayInput, 'file'>,
): Promise<ReplayPlan> {
  if (ids.length > 0 || isSelection(which))
    throw usage('--file cannot be combined with ids, --since, --events, --where or --failed');
  if (to === undefined) throw usage('the file has no destination', 'give one with --to');
  const [{ receivedOf }, { forwardUrl }, { thisProcess }] = await Promise.all([
    import('../../webhooks/log/records.ts'),
    import('../../webhooks/forward/routes.ts'),
    context.sandboxes(),
  ]);
  const delivery = await deliveryIn(context, file);
  requireSendable(delivery);
  const { name: id, raw } = delivery;
  const { now } = thisProcess;
  const event = receivedOf({ ...raw, remote: '', port: 0 }, id, now());
  const url = forOption('--to', () => forwardUrl(to));
  return { to: new Map([[id, url]]), events: [{ event, url }], isReceived: false };
}

function isSelection({ since, events, where, failed }: Selection): boolean {
  return failed !== false || where.length > 0 || since !== undefined || events !== undefined;
}

async function chosenEvents(
  context: Context,
  { ids, ...which }: Omit<ReplayInput, 'to' | 'file'>,
  onDamage: OnDamage,
): Promise<Iterable<Past>> {
  if (ids.length > 0 && isSelection(which))
    throw usage('ids cannot be combined with --since, --events, --where or --failed');
  const {
    stateFolder,
    thisProcess: { now },
  } = await context.sandboxes();
  if (ids.length > 0) {
    const { findEvent } = await import('../../webhooks/log/history.ts');
    return ids.map((id) => findEvent(stateFolder, id, onDamage));
  }
  if (!isSelection(which))
    throw usage('specify which events to replay', 'give ids from webhooks history, or --since 10m');
  return pasts(await select({ stateFolder, now: now(), onDamage }, which));
}

function* pasts(selected: Awaited<ReturnType<typeof select>>): Generator<Past> {
  for (const { past } of selected) yield past;
}
