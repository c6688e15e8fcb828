import type { EventName } from '../contract/events.ts';
import { isSecret } from '../contract/signature.ts';
import type { Change } from './changes.ts';
import type { Clock } from './clock.ts';
import { deliveryOf, listensTo, unheard } from './delivering.ts';
import { changedIn } from './deliveries/changed.ts';
import { webhookUrl } from './deliveries/url.ts';
import type { Owner, Webhook } from './delivery-records.ts';
import type { Ledger } from './ledger.ts';
import type { Mint } from './random.ts';
import { Refusal } from './refusal.ts';
import type { Registered, State } from './state.ts';

/** The URLs that events go to (§6 leaves open how one is registered). */
export interface Webhooks {
  /** The same URL again is the same webhook: enabled, with these settings in place of its own. */
  add(given: NewWebhook): Added;
  list(): readonly WebhookRow[];
  /** Takes an id or a URL. */
  remove(which: string): WebhookRow;
  /** Removes all that are so. */
  drop(isSo: (webhook: Webhook) => boolean): void;
  /** A new secret, for one webhook alone or for all that have none of their own; the old one signs for a day more. */
  rotate(which?: string): Rotated;
}

export interface NewWebhook {
  readonly url: string;
  /** All, unless told. */
  readonly events?: readonly EventName[] | undefined;
  /** Its own, in place of the sandbox's. */
  readonly secret?: string | undefined;
  /** It may be on another machine. */
  readonly external?: boolean | undefined;
  /** It also gets the events that nobody heard. */
  readonly catchUp?: boolean | undefined;
  /** The process that it is for. */
  readonly owner?: Owner | undefined;
}

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventName[] | 'all';
  readonly secret: 'own' | 'sandbox';
  readonly state: 'active' | 'disabled';
  /** Why it is disabled. */
  readonly reason?: string | undefined;
  readonly created_at: string;
}

interface Added extends WebhookRow {
  /** It was registered before, */
  readonly known: boolean;
  /** and this is other about it now, in words. */
  readonly changes: readonly string[];
  /** How many events that nobody heard are on their way to it. */
  readonly caughtUp: number;
}

interface Rotated {
  readonly webhook: WebhookRow | undefined;
  readonly secret: string;
  /** So long the one before it signs as well. */
  readonly until: string;
}

interface Office {
  readonly ledger: Ledger;
  readonly mint: Mint;
  readonly clock: Clock;
}

const day = 86_400_000;

export function createWebhooks({ ledger: { state, commit }, mint, clock }: Office): Webhooks {
  return {
    add({ url: text, events, secret, owner, external = false, catchUp = false }) {
      const url = webhookUrl(text, external).href;
      if (secret !== undefined && !isSecret(secret))
        throw new Refusal(400, 'the secret of a webhook is whsec_ and at least 16 bytes in base64');
      const found = withUrl(state, url);
      // What is registered changes in place.
      const known = found && { ...found };
      const id = known?.webhook.id ?? mint.id('whk', state.serial + 1);
      const createdAt = known?.webhook.createdAt ?? clock.now();
      const own = { ...(secret !== undefined && { secret }), ...(owner && { owner }) };
      const webhook: Webhook = { id, url, events: events ?? 'all', createdAt, ...own };
      const caughtUp = catchUp ? missed(state, webhook, { mint, clock }) : [];
      commit([{ type: 'webhook', webhook }, ...caughtUp]);
      const added = named(state, id);
      const changes = known ? changedIn(known, added) : [];
      return { ...rowOf(added), known: known !== undefined, changes, caughtUp: caughtUp.length };
    },
    list: () => [...state.webhooks.values()].map(rowOf),
    remove(which) {
      const registered = named(state, which);
      commit([{ type: 'webhook-removed', webhook: registered.webhook.id }]);
      return rowOf(registered);
    },
    drop(isSo) {
      const dropped = [...state.webhooks.values()].filter(({ webhook }) => isSo(webhook));
      for (const { webhook } of dropped) commit([{ type: 'webhook-removed', webhook: webhook.id }]);
    },
    rotate(which) {
      const webhook = which === undefined ? undefined : named(state, which);
      const [secret, until] = [mint.secret(state.serial + 1), clock.now() + day];
      if (webhook) commit([{ type: 'webhook-secret', webhook: webhook.webhook.id, secret, until }]);
      else commit([{ type: 'secret', secret, until }]);
      return { webhook: webhook && rowOf(webhook), secret, until: new Date(until).toISOString() };
    },
  };
}

function missed(state: State, webhook: Webhook, { mint, clock }: Omit<Office, 'ledger'>): readonly Change[] {
  let { serial } = state;
  const events = unheard(state).filter((event) => listensTo(webhook, event));
  return events.map((event) => deliveryOf(event, webhook, mint.id('dlv', ++serial), { at: clock.now() }));
}

function named(state: State, which: string): Registered {
  const url = URL.canParse(which) ? new URL(which) : undefined;
  if (url) url.hash = '';
  const found = state.webhooks.get(which) ?? (url && withUrl(state, url.href));
  if (!found) throw new Refusal(404, 'there is no such webhook');
  return found;
}

function withUrl(state: State, url: string): Registered | undefined {
  return [...state.webhooks.values()].find(({ webhook }) => webhook.url === url);
}

function rowOf({ webhook: { id, url, events, createdAt }, secret, disabled: reason }: Registered): WebhookRow {
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
