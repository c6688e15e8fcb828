import { isProcessAlive, type Probe } from '../../base/liveness.ts';
import { redact } from '../../base/redact.ts';
import type { EventName } from '../../contract/events.ts';
import { isSecret } from '../../contract/signature.ts';
import { isThisMachine } from '../../base/loopback.ts';
import { Refusal } from '../refusal.ts';
import type { Mint } from '../state/ids.ts';
import type { Ledger } from '../state/ledger.ts';
import type { Change, Owner, Webhook } from '../state/records.ts';
import type { Registered, State } from '../state/state.ts';
import type { Clock } from '../time/clock.ts';
import { deliveryOf, listensTo, unheard } from './fan-out.ts';

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

/** What is other about a webhook that was added again. */
function changedIn(before: Registered, after: Registered): readonly string[] {
  const [own, owned] = [after.secret?.secret, before.secret?.secret];
  return [
    ...(own === owned ? [] : [secretText(own, owned)]),
    ...(eventsText(before) === eventsText(after) ? [] : [`${eventsText(after)} now`]),
    ...(before.disabled === undefined ? [] : ['it is enabled again']),
  ];
}

function secretText(own: string | undefined, owned: string | undefined): string {
  if (own === undefined) return 'its own secret is gone';
  return owned === undefined ? 'it has a secret of its own now' : 'its own secret is another one now';
}

function eventsText({ webhook: { events } }: Registered): string {
  return events === 'all' ? 'all events' : events.toSorted().join(', ');
}

/** A URL that events may go to, in its normal form. §5.9: they stay on this machine unless it is meant. */
export function webhookUrl(text: string, external: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Refusal(400, 'the URL of a webhook is a whole one, such as http://127.0.0.1:3000/hooks');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(400, `the URL of a webhook begins with http:// or https://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new Refusal(400, 'the URL of a webhook has no user and no password in it');
  if (!external && !isThisMachine(url.hostname))
    throw new Refusal(400, `${url.hostname} is not this machine: give external: true to send events there`);
  url.hash = '';
  return url;
}

interface Owned {
  readonly url: string;
  readonly owner?: Owner | undefined;
}

/** Whether the process that a webhook was for is dead, and no other one will take its place. */
export function isForsaken({ url, owner }: Owned, kill: Probe, next?: Owned): boolean {
  if (!owner || isProcessAlive(owner.pid, owner.start, kill)) return false;
  if (!owner.returns) return true;
  // Whoever else listens there by now is not to get what was meant for it.
  return next !== undefined && !next.owner?.returns && portOf(next.url) === portOf(url);
}

function portOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).port : undefined;
}

const reason = 'is on another machine, which nobody has allowed since the sandbox started';

/**
 * Disables the webhooks on other machines that a folder brings with it, unless they are allowed: the folder may be
 * somebody else's. This is not recorded, so it ends with the sandbox; adding such a webhook again enables it.
 */
export function withholdExternal(state: State, isAllowed: boolean, warn: (text: string) => void): void {
  for (const registered of state.webhooks.values()) {
    const { url } = registered.webhook;
    // A snapshot may have recorded it.
    if (registered.disabled === reason) registered.disabled = undefined;
    if (isAllowed || registered.disabled !== undefined || isThisMachine(new URL(url).hostname)) continue;
    registered.disabled = reason;
    warn(`no events are sent to ${redact(url)}, which is on another machine; ${remedy}`);
  }
}

const remedy =
  'allow it with --allow-external at the start, or with bizmsg sandbox webhooks add <url> --allow-external';
