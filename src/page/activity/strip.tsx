import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask } from '../ask.ts';
import { Form, Popover } from '../dialog.tsx';
import { env, problems, webhooks } from '../model.ts';
import { act, Command, Copy } from '../notice.tsx';
import { listen, shortUrl } from '../words.ts';

type Webhook = OutputOf<'webhooks'>[number];

function healthOf({ url }: Webhook) {
  return problems.value?.webhooks.find((webhook) => webhook.url === url) ?? { last: [], failing: 0 };
}

/** Where the events go, and how that goes. */
export function Strip() {
  const all = webhooks.value ?? [];
  const [worst] = all.toSorted((a, b) => healthOf(b).failing - healthOf(a).failing);
  const failing = all.reduce((sum, webhook) => sum + healthOf(webhook).failing, 0);
  return (
    <div class="strip line">
      {worst ? (
        <Popover title="Webhooks" class="quiet endpoint line" button={<Endpoint of={worst} more={all.length - 1} />}>
          <Endpoints />
        </Popover>
      ) : (
        <>
          <code class="one-line">{listen}</code>
          <Copy text={listen} label="Copy command">
            Copy
          </Copy>
          <Popover title="Webhooks" button="Add URL">
            <Endpoints />
          </Popover>
        </>
      )}
      {failing > 0 && (
        <button title="Deliveries that were given up, and those that wait for a retry" onClick={retry}>
          Retry {failing} <span class="if-wide">{failing === 1 ? 'delivery' : 'deliveries'}</span>
        </button>
      )}
    </div>
  );
}

function retry(): void {
  void act(
    () => ask('redeliver', { failed: true }),
    ({ redelivered }) => `Retried: ${redelivered}`,
  );
}

function Endpoint({ of: webhook, more }: { readonly of: Webhook; readonly more: number }) {
  const { last } = healthOf(webhook);
  return (
    <>
      <span aria-hidden="true">→</span>
      <bdi class="one-line mono">{shortUrl(webhook.url)}</bdi>
      {webhook.state === 'disabled' && <span class="is-bad">disabled</span>}
      {last.length > 0 && (
        <>
          <span class="bars" aria-hidden="true">
            {last.map((isGood) => (
              <i class={isGood ? '' : 'is-bad'} />
            ))}
          </span>
          {last.filter(Boolean).length} of {last.length}
        </>
      )}
      {more > 0 && ` +${more}`}
    </>
  );
}

/** The webhooks, their secret, and a form for a new one. */
function Endpoints() {
  const add = async (url: string, form: HTMLFormElement) => {
    if (await act(() => ask('addWebhook', { url }))) form.reset();
  };
  const all = webhooks.value ?? [];
  return (
    <>
      {all.map((webhook) => (
        <Details key={webhook.id} of={webhook} />
      ))}
      <Form class="line" onFilled={(url, form) => void add(url, form)}>
        <input
          type="url"
          name="value"
          required
          autofocus={all.length === 0}
          aria-label="URL of a new webhook"
          placeholder="http://127.0.0.1:3000/hooks"
        />
        <button type="submit" class="main">
          Add URL
        </button>
      </Form>
      <p class="note">Or forward the events to a local port:</p>
      <Command>{listen}</Command>
      <Copy text={env.value?.secret ?? ''}>Copy webhook secret</Copy>
    </>
  );
}

function Details({ of: { id, url, events, state, reason, secret } }: { readonly of: Webhook }) {
  return (
    <div class="card">
      <bdi class="mono">{url}</bdi>
      <p class="note">
        {events === 'all' ? 'all events' : events.join(', ')}
        {secret === 'own' && ' · its own secret'}
        {state === 'disabled' && <span class="is-bad"> · disabled: {reason}</span>}
      </p>
      <button onClick={() => void act(() => ask('removeWebhook', { webhook: id }))}>Remove</button>
    </div>
  );
}
