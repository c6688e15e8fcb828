import { isProcessAlive, type Probe } from '../../base/liveness.ts';
import { redact } from '../../base/redact.ts';
import { isSecret } from '../../contract/signature.ts';
import { isThisMachine } from '../../delivery/target.ts';
import type { Owned, Webhooks } from '../interface.ts';
import { Refusal } from '../refusal.ts';
import type { WebhookRow } from '../rows.ts';
import { type Ids, newSecret } from '../state/ids.ts';
import type { Webhook } from '../state/records.ts';
import type { RegisteredWebhook, State, Store } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { catchUp } from './deliveries.ts';

interface WebhookOptions {
  readonly store: Store;
  readonly ids: Ids;
  readonly clock: Clock;
}

const day = 86_400_000;

export function createWebhooks({ store: { state, commit }, ids, clock }: WebhookOptions): Webhooks {
  return {
    add({ url: text, events, secret, owner, external = false, catchUp: catchesUp = false }) {
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
      const caughtUp = catchesUp ? catchUp(webhook, { state, ids, clock }) : [];
      commit([{ type: 'webhook', webhook }, ...caughtUp]);
      const added = webhookNamed(state, id);
      const changes = known ? differences(known, added) : [];
      return { ...rowOf(added), known: known !== undefined, changes, caughtUp: caughtUp.length };
    },
    list: () => [...state.webhooks.values()].map(rowOf),
    remove(idOrUrl) {
      const registered = webhookNamed(state, idOrUrl);
      commit([{ type: 'webhook-removed', webhook: registered.webhook.id }]);
      return rowOf(registered);
    },
    removeOrphans(kill, successor) {
      const removed = [...state.webhooks.values()].filter(({ webhook }) => isOrphaned(webhook, kill, successor));
      for (const { webhook } of removed) commit([{ type: 'webhook-removed', webhook: webhook.id }]);
    },
    rotate(idOrUrl) {
      const webhook = idOrUrl === undefined ? undefined : webhookNamed(state, idOrUrl);
      const [secret, until] = [newSecret(), clock.now() + day];
      if (webhook) commit([{ type: 'webhook-secret', webhook: webhook.webhook.id, secret, until }]);
      else commit([{ type: 'secret', secret, until }]);
      return { webhook: webhook && rowOf(webhook), secret, until: new Date(until).toISOString() };
    },
  };
}

/** Parses a webhook URL. §5.9: events stay on this machine unless `external` allows otherwise. */
export function webhookUrl(text: string, external: boolean): URL {
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

/** Whether the owner of a webhook is dead and does not restart, or `successor` now listens on its port. */
export function isOrphaned({ url, owner }: Owned, kill: Probe, successor?: Owned): boolean {
  if (!owner || isProcessAlive(owner.pid, owner.start, kill)) return false;
  if (!owner.returns) return true;
  return successor !== undefined && !successor.owner?.returns && portOf(successor.url) === portOf(url);
}

const notAllowed = 'is on another machine, which was not allowed when the sandbox started';
const remedy =
  'allow it with --allow-external at the start, or with bizmsg sandbox webhooks add <url> --allow-external';

/**
 * Disables webhooks on other machines unless they are allowed: the data folder may come from another user. It is not
 * journaled, so it ends with the sandbox; adding the webhook again enables it.
 */
export function disableExternal(state: State, isAllowed: boolean, warn: (text: string) => void): void {
  for (const registered of state.webhooks.values()) {
    const { url } = registered.webhook;
    // A snapshot may have journaled it.
    if (registered.disabled === notAllowed) registered.disabled = undefined;
    if (isAllowed || registered.disabled !== undefined || isThisMachine(new URL(url).hostname)) continue;
    registered.disabled = notAllowed;
    warn(`no events are sent to ${redact(url)}, which is on another machine; ${remedy}`);
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
