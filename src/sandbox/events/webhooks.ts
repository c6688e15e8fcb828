import { redact } from '../../base/redact.ts';
import { isSecret } from '../../contract/signature.ts';
import { isThisMachine } from '../../delivery/this-machine.ts';
import * as read from '../../contract/readers.ts';
import { eventName, fields } from '../readers.ts';
import { Refusal } from '../refusal.ts';
import { newSecret } from '../state/ids.ts';
import type { Webhook } from '../state/records.ts';
import type { Core, State } from '../state/state.ts';
import { catchUp, hold } from './deliveries.ts';

export const newWebhook = fields({
  url: read.string,
  /** Default: all. */
  events: read.optional(read.list(eventName)),
  /** Replaces the sandbox's secret. */
  secret: read.optional(read.string),
  /** Allows a URL on another machine. */
  external: read.optional(read.boolean),
  /** Also delivers earlier events that no webhook has received. */
  catchUp: read.optional(read.boolean),
});

const day = 86_400_000;

/** Adds a URL that receives events. A known URL keeps its id, is enabled, and gets these settings. Counts earlier events. */
export function addWebhook(core: Core, fields: ReturnType<typeof newWebhook>) {
  const { store, ids, clock } = core;
  const { url: text, events = 'all', secret, external = false, catchUp: catchesUp = false } = fields;
  const url = webhookUrl(text, external).href;
  if (secret !== undefined && !isSecret(secret))
    throw new Refusal(400, 'a webhook secret is whsec_ followed by at least 16 bytes in base64');
  if (events.length === 0) throw new Refusal(400, 'events is empty; without it, the webhook receives all');
  const before = withUrl(store.state, url);
  const { id, createdAt } = before ?? { id: ids.id('whk'), createdAt: clock.now() };
  const webhook: Webhook = { id, url, events, secret, createdAt };
  put(core, webhook);
  if (before?.disabled !== undefined) hold(core, id, undefined);
  const caughtUp = catchesUp ? catchUp(core, webhook) : 0;
  return { ...rowOf(webhook), known: before !== undefined, caughtUp };
}

export function webhookRows({ webhooks }: State) {
  return webhooks.all().map(rowOf);
}

/** By id or URL. */
export function removeWebhook(core: Core, idOrUrl: string) {
  const webhook = webhookNamed(core.store.state, idOrUrl);
  core.store.state.webhooks.delete(webhook.id);
  core.store.happened({ type: 'webhooks' });
  hold(core, webhook.id, 'its webhook was removed');
  return rowOf(webhook);
}

/** Replaces the sandbox's secret. The old one also signs for one more day. */
export function rotateSecret({ store, clock }: Core) {
  const until = clock.now() + day;
  const { state, happened } = store;
  state.secret = { secret: newSecret(), previous: { secret: state.secret.secret, until } };
  happened({ type: 'webhooks' });
  return { secret: state.secret.secret, until: new Date(until).toISOString() };
}

/** Disables a webhook that answered 410; the first of concurrent attempts does it. */
export function disableGone(core: Core, id: string): void {
  const webhook = core.store.state.webhooks.get(id);
  if (!webhook || webhook.disabled !== undefined) return;
  disable(core, webhook, 'answered 410');
  core.warn(`the webhook ${redact(webhook.url)} answered 410 and is disabled; add it again to enable it`);
}

/** Sends no more events to a webhook. */
function disable(core: Core, webhook: Webhook, reason: string): void {
  put(core, { ...webhook, disabled: reason });
  hold(core, webhook.id, `its webhook ${reason}`);
}

function put({ store }: Core, webhook: Webhook): void {
  store.state.webhooks.put(webhook);
  store.happened({ type: 'webhooks' });
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

const notAllowed = 'is on another machine, which was not allowed when the sandbox started';

/** Disables webhooks on other machines, unless they are allowed; those that were disabled by this are enabled again. */
export function disableExternal(core: Core, isAllowed: boolean): void {
  for (const webhook of core.store.state.webhooks.all()) {
    const { id, url, disabled } = webhook;
    if (isAllowed && disabled === notAllowed) {
      put(core, { ...webhook, disabled: undefined });
      hold(core, id, undefined);
    }
    if (isAllowed || disabled !== undefined || isThisMachine(new URL(url).hostname)) continue;
    disable(core, webhook, notAllowed);
    core.warn(
      `no events are sent to ${redact(url)}, which is on another machine: the sandbox was started with BIZMSG_LOCAL_ONLY=1`,
    );
  }
}

function webhookNamed(state: State, idOrUrl: string): Webhook {
  const url = URL.canParse(idOrUrl) ? new URL(idOrUrl) : undefined;
  if (url) url.hash = '';
  const webhook = state.webhooks.get(idOrUrl) ?? (url && withUrl(state, url.href));
  if (!webhook) throw new Refusal(404, 'there is no such webhook');
  return webhook;
}

function withUrl({ webhooks }: State, url: string): Webhook | undefined {
  return webhooks.all().find((webhook) => webhook.url === url);
}

function rowOf({ id, url, events, createdAt, secret, disabled: reason }: Webhook) {
  return {
    id,
    url,
    events,
    secret: secret ? ('own' as const) : ('sandbox' as const),
    state: reason === undefined ? ('active' as const) : ('disabled' as const),
    /** Why it is disabled. */
    ...(reason !== undefined && { reason }),
    created_at: new Date(createdAt).toISOString(),
  };
}
