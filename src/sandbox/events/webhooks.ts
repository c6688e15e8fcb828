import { isProcessAlive, type Probe } from '../../base/liveness.ts';
import { redact } from '../../base/redact.ts';
import { isSecret } from '../../contract/signature.ts';
import { isThisMachine } from '../../delivery/target.ts';
import * as read from '../../contract/readers.ts';
import { eventName, fields, integer, optional } from '../readers.ts';
import { Refusal } from '../refusal.ts';
import type { WebhookRow } from '../rows.ts';
import { newSecret } from '../state/ids.ts';
import type { Webhook } from '../state/records.ts';
import type { Core, RegisteredWebhook, State } from '../state/state.ts';
import { catchUp } from './deliveries.ts';

const owner = fields({ pid: integer(), start: optional(read.string) });

export const newWebhook = fields({
  url: read.string,
  /** Default: all. */
  events: optional(read.list(eventName)),
  /** Replaces the sandbox's secret. */
  secret: optional(read.string),
  /** Allows a URL on another machine. */
  external: optional(read.boolean),
  /** Also delivers earlier events that no webhook has received. */
  catchUp: optional(read.boolean),
  /** The process that listens there. */
  owner: optional(owner),
});

interface AddedWebhook extends WebhookRow {
  /** Whether the URL was already registered. */
  readonly known: boolean;
  /** Human-readable differences to the previous settings. */
  readonly changes: readonly string[];
  /** The number of earlier events to deliver. */
  readonly caughtUp: number;
}

type Owned = Pick<Webhook, 'url' | 'owner'>;

const day = 86_400_000;

/** The URLs that receive events (§6 leaves open how one is registered). */
export function createWebhooks(core: Core) {
  const { store, ids, clock } = core;
  const { state, commit } = store;
  return {
    /** A known URL keeps its id, is enabled, and gets these settings. */
    add(given: ReturnType<typeof newWebhook>): AddedWebhook {
      const { url: text, events, secret, owner, external = false, catchUp: catchesUp = false } = given;
      const url = webhookUrl(text, external).href;
      if (secret !== undefined && !isSecret(secret))
        throw new Refusal(400, 'a webhook secret is whsec_ followed by at least 16 bytes in base64');
      if (events?.length === 0) throw new Refusal(400, 'events is empty; without it, the webhook receives all');
      const found = withUrl(state, url);
      // A copy, because the commit changes the registration.
      const known = found && { ...found };
      const id = known?.webhook.id ?? ids.id('whk', state.serial + 1);
      const createdAt = known?.webhook.createdAt ?? clock.now();
      const own = { ...(secret !== undefined && { secret }), ...(owner && { owner }) };
      const webhook: Webhook = { id, url, events: events ?? 'all', createdAt, ...own };
      const caughtUp = catchesUp ? catchUp(webhook, core) : [];
      commit([{ type: 'webhook', webhook }, ...caughtUp]);
      const added = webhookNamed(state, id);
      const changes = known ? differences(known, added) : [];
      return { ...rowOf(added), known: known !== undefined, changes, caughtUp: caughtUp.length };
    },
    list: () => [...state.webhooks.values()].map(rowOf),
    /** By id or URL. */
    remove(idOrUrl: string): WebhookRow {
      const registered = webhookNamed(state, idOrUrl);
      commit([{ type: 'webhook-removed', webhook: registered.webhook.id }]);
      return rowOf(registered);
    },
    /** Removes the webhooks of ended listeners whose port `successor` now has. */
    removeOrphans(kill: Probe, successor: Owned): void {
      const removed = [...state.webhooks.values()].filter(({ webhook }) => isOrphaned(webhook, kill, successor));
      for (const { webhook } of removed) commit([{ type: 'webhook-removed', webhook: webhook.id }]);
    },
    /** Creates a new secret for one webhook or the sandbox. The old one also signs for one more day. */
    rotate(idOrUrl?: string) {
      const webhook = idOrUrl === undefined ? undefined : webhookNamed(state, idOrUrl);
      const [secret, until] = [newSecret(), clock.now() + day];
      if (webhook) commit([{ type: 'webhook-secret', webhook: webhook.webhook.id, secret, until }]);
      else commit([{ type: 'secret', secret, until }]);
      return { webhook: webhook && rowOf(webhook), secret, until: new Date(until).toISOString() };
    },
  };
}

/** Parses a webhook URL. §5.9: events stay on this machine unless `external` allows otherwise. */
function webhookUrl(text: string, external: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Refusal(400, 'a webhook needs a full URL, such as http://127.0.0.1:3000/hooks');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(400, `a webhook URL starts with http:// or https://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new Refusal(400, 'a webhook URL must not contain a user or password');
  if (!external && !isThisMachine(url.hostname))
    throw new Refusal(400, `${url.hostname} is not this machine: pass external: true to send events there`);
  url.hash = '';
  return url;
}

/** Whether the listener of a webhook is dead, and its port now has something that is not a listener: it may restart. */
export function isOrphaned({ url, owner }: Owned, kill: Probe, successor: Owned): boolean {
  if (!owner || isProcessAlive(owner.pid, owner.start, kill)) return false;
  return !successor.owner && portOf(successor.url) === portOf(url);
}

const notAllowed = 'is on another machine, which was not allowed when the sandbox started';

/**
 * Disables webhooks on other machines unless they are allowed. It is not journaled, so it ends with the sandbox; adding
 * the webhook again enables it.
 */
export function disableExternal(state: State, isAllowed: boolean, warn: (text: string) => void): void {
  for (const registered of state.webhooks.values()) {
    const { url } = registered.webhook;
    // A snapshot may have journaled it.
    if (registered.disabled === notAllowed) registered.disabled = undefined;
    if (isAllowed || registered.disabled !== undefined || isThisMachine(new URL(url).hostname)) continue;
    registered.disabled = notAllowed;
    warn(
      `no events are sent to ${redact(url)}, which is on another machine: the sandbox was started with BIZMSG_LOCAL_ONLY=1`,
    );
  }
}

function webhookNamed(state: State, idOrUrl: string): RegisteredWebhook {
  const url = URL.canParse(idOrUrl) ? new URL(idOrUrl) : undefined;
  if (url) url.hash = '';
  const found = state.webhooks.get(idOrUrl) ?? (url && withUrl(state, url.href));
  if (!found) throw new Refusal(404, 'there is no such webhook');
  return found;
}

function withUrl(state: State, url: string): RegisteredWebhook | undefined {
  return [...state.webhooks.values()].find(({ webhook }) => webhook.url === url);
}

function rowOf({ webhook: { id, url, events, createdAt }, secret, disabled: reason }: RegisteredWebhook): WebhookRow {
  return {
    id,
    url,
    events,
    secret: secret ? 'own' : 'sandbox',
    state: reason === undefined ? 'active' : 'disabled',
    ...(reason !== undefined && { reason }),
    created_at: new Date(createdAt).toISOString(),
  };
}

function differences(before: RegisteredWebhook, after: RegisteredWebhook): readonly string[] {
  const [old, current] = [before.secret?.secret, after.secret?.secret];
  return [
    ...(current === old ? [] : [secretChange(old, current)]),
    ...(eventsText(before) === eventsText(after) ? [] : [`now ${eventsText(after)}`]),
    ...(before.disabled === undefined ? [] : ['enabled again']),
  ];
}

function secretChange(old: string | undefined, current: string | undefined): string {
  if (current === undefined) return 'its own secret was removed';
  return old === undefined ? 'it now has its own secret' : 'its own secret was replaced';
}

function eventsText({ webhook: { events } }: RegisteredWebhook): string {
  return events === 'all' ? 'all events' : events.toSorted().join(', ');
}

function portOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).port : undefined;
}
