import { useSignal } from '@preact/signals';
import type { OutputOf } from '../../sandbox/control/operations.ts';
import { ask } from '../ask.ts';
import { confirm, Form } from '../dialog.tsx';
import { problems, webhooks } from '../known.ts';
import { act, Command, Copy } from '../notice.tsx';
import { Popover } from '../popover.tsx';
import { shortUrl } from '../words.ts';

export const listen = 'bizmsg webhooks listen --profile local --forward-to 3000/hooks';

type Webhook = OutputOf<'webhooks'>[number];

const noHealth = { last: [], failing: 0 };

function healthOf({ url }: Webhook) {
  return problems.value?.webhooks.find((one) => one.url === url) ?? noHealth;
}

/** Where the events go, and how that goes. */
export function Strip() {
  const all = webhooks.value;
  if (!all) return <div class="strip" />;
  const [worst] = all.toSorted((one, other) => healthOf(other).failing - healthOf(one).failing);
  const failing = all.reduce((sum, one) => sum + healthOf(one).failing, 0);
  return (
    <div class="strip">
      {worst ? <Endpoint worst={worst} more={all.length - 1} /> : <NoEndpoint />}
      {failing > 0 && <button onClick={retry}>Retry {failing}</button>}
    </div>
  );
}

function retry(): void {
  void act(
    () => ask('redeliver', { failed: true }),
    ({ redelivered }) => `Retried: ${redelivered}`,
  );
}

function NoEndpoint() {
  return (
    <>
      <code class="one-line">{listen}</code>
      <Copy text={listen} label="Copy command">
        Copy
      </Copy>
      <Popover title="Webhooks" button="Add URL">
        <Endpoints />
      </Popover>
    </>
  );
}

function Endpoint({ worst, more }: { readonly worst: Webhook; readonly more: number }) {
  const { last } = healthOf(worst);
  const good = last.filter(Boolean).length;
  return (
    <Popover
      title="Webhooks"
      class="quiet endpoint"
      button={
        <>
          <span aria-hidden="true">→</span>
          <bdi class="url mono">{shortUrl(worst.url)}</bdi>
          {worst.state === 'disabled' && <span class="is-bad">disabled</span>}
          {last.length > 0 && (
            <>
              <span class="bars" aria-hidden="true">
                {last.map((isGood, at) => (
                  <i key={at} class={isGood ? '' : 'is-bad'} />
                ))}
              </span>
              <span class="health">
                {good} of {last.length}
              </span>
            </>
          )}
          {more > 0 && <span class="more">+{more}</span>}
        </>
      }
    >
      <Endpoints />
    </Popover>
  );
}

/** The webhooks, their secret, and a form for a new one. */
function Endpoints() {
  const url = useSignal('');
  const add = async () => {
    if (await act(() => ask('addWebhook', { url: url.value }), 'Added')) url.value = '';
  };
  return (
    <div class="endpoints">
      {(webhooks.value ?? []).map((webhook) => (
        <Details key={webhook.id} of={webhook} />
      ))}
      <Form class="line" onGiven={() => void add()}>
        <input
          type="url"
          required
          autofocus={(webhooks.value ?? []).length === 0}
          aria-label="URL of a new webhook"
          placeholder="http://127.0.0.1:3000/hooks"
          value={url.value}
          onInput={({ currentTarget }) => (url.value = currentTarget.value)}
        />
        <button type="submit" class="main">
          Add URL
        </button>
      </Form>
      <p class="note">Or forward the events to a local port:</p>
      <Command>{listen}</Command>
      <Copy text={async () => (await ask('env')).secret}>Copy webhook secret</Copy>
    </div>
  );
}

function Details({ of: { id, url, events, state, reason, secret } }: { readonly of: Webhook }) {
  const remove = () =>
    confirm({
      title: 'Remove this webhook?',
      text: `${url} receives no more events.`,
      does: 'Remove',
      action: () => ask('removeWebhook', { webhook: id }),
    });
  return (
    <div class="card">
      <bdi class="mono">{url}</bdi>
      <p class="note">
        {events === 'all' ? 'all events' : events.join(', ')}
        {secret === 'own' && ' · its own secret'}
        {state === 'disabled' && <span class="is-bad"> · disabled: {reason}</span>}
      </p>
      <button data-closes onClick={remove}>
        Remove
      </button>
    </div>
  );
}
