import type { Context } from '../../cli/command.ts';
import { usage } from '../../base/errors.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import type { Past } from '../../webhooks/log/history.ts';
import type { Addressed } from '../../webhooks/forward/replay.ts';
import { sayingDamage, select, type Selection } from './selection.ts';
import { deliveryIn, requireSendable } from './delivery-file.ts';

interface Asked extends Selection {
  readonly ids: readonly string[];
  readonly file: string | undefined;
  readonly to: string | undefined;
}

export interface Mailing {
  /** Where each goes, by its id. */
  readonly to: ReadonlyMap<string, URL>;
  readonly events: Iterable<Addressed>;
  /** Whether a listener received them, so that what comes of them has its place. */
  readonly isReceived: boolean;
}

/** The events that are asked for, and where each goes. */
export async function mailing(context: Context, { file, ...asked }: Asked): Promise<Mailing> {
  if (file !== undefined) return mailingOf(context, file, asked);
  const [{ addressed }, { stateFolder }] = await Promise.all([
    import('../../webhooks/forward/replay.ts'),
    context.sandboxes(),
  ]);
  const onDamage = await sayingDamage(context);
  const to = await destinations(context, asked, onDamage);
  return { to, events: addressed(stateFolder, to, onDamage), isReceived: true };
}

async function destinations(
  context: Context,
  asked: Omit<Asked, 'file'>,
  onDamage: OnDamage,
): Promise<ReadonlyMap<string, URL>> {
  const [{ forwardUrl }, { webhookId }] = await Promise.all([
    import('../../webhooks/forward/routes.ts'),
    import('../../webhooks/event/event.ts'),
  ]);
  const different = new Set<string>();
  const given = asked.to === undefined ? undefined : forwardUrl(asked.to);
  const found = new Map<string, URL>();
  const unsent: string[] = [];
  for (const { event, forwards } of await chosen(context, asked, onDamage)) {
    const last = given ?? (forwards[0] && forwardUrl(forwards[0].url));
    if (last) found.set(event.id, last);
    else unsent.push(event.id);
    different.add(webhookId(event) ?? event.id);
  }
  const [first] = unsent;
  if (first !== undefined) {
    const usual = asked.failed === false ? undefined : await usualDestination(context, onDamage);
    if (usual === undefined) throw usage(`${first} was never forwarded, so nothing says where to`, 'say it with --to');
    for (const id of unsent) found.set(id, forwardUrl(usual));
    const told = `events that were never forwarded: ${unsent.length}; they go to ${usual}, as all the others did`;
    context.note('never-forwarded', told);
  }
  if (different.size < found.size)
    context.note('again', `${found.size} to send, of ${different.size} different events`);
  return found;
}

/** Where all events went that were forwarded; undefined if they went to several addresses, or none did. */
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

async function mailingOf(context: Context, file: string, { ids, to, ...which }: Omit<Asked, 'file'>): Promise<Mailing> {
  if (ids.length > 0 || isSelection(which)) throw usage('--file excludes ids and what chooses events');
  if (to === undefined) throw usage('nothing says where the file goes to', 'say it with --to');
  const [{ receivedOf }, { forwardUrl }, { process }] = await Promise.all([
    import('../../webhooks/log/records.ts'),
    import('../../webhooks/forward/routes.ts'),
    context.sandboxes(),
  ]);
  const filed = await deliveryIn(context, file);
  requireSendable(filed);
  const { what: id, raw } = filed;
  const { now } = process;
  const event = receivedOf({ ...raw, remote: '', port: 0 }, id, now());
  const url = forwardUrl(to);
  return { to: new Map([[id, url]]), events: [{ event, url }], isReceived: false };
}

function isSelection({ since, events, where, failed }: Selection): boolean {
  return failed !== false || where.length > 0 || since !== undefined || events !== undefined;
}

async function chosen(
  context: Context,
  { ids, ...which }: Omit<Asked, 'to' | 'file'>,
  onDamage: OnDamage,
): Promise<Iterable<Past>> {
  if (ids.length > 0 && isSelection(which)) throw usage('ids exclude --since, --events, --where and --failed');
  const {
    stateFolder,
    process: { now },
  } = await context.sandboxes();
  if (ids.length > 0) {
    const { findEvent } = await import('../../webhooks/log/history.ts');
    return ids.map((id) => findEvent(stateFolder, id, onDamage));
  }
  if (!isSelection(which)) throw usage('which events is missing', 'give ids, from webhooks history, or --since 10m');
  return pasts(await select({ stateFolder, now: now(), onDamage }, which));
}

function* pasts(selected: Awaited<ReturnType<typeof select>>): Generator<Past> {
  for (const { past } of selected) yield past;
}
