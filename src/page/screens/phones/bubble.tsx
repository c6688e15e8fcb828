import { useSignal } from '@preact/signals';
import type { EventName } from '../../../contract/events.ts';
import { textParts } from '../../../contract/template-text.ts';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { act } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { copies } from '../../copies.ts';
import { Copy } from '../../copy.tsx';
import { Dialog } from '../../dialog.tsx';
import type { Item } from '../../phones.ts';
import type { Message } from '../../state.ts';
import { Text } from '../../text.tsx';
import { timeText } from '../../time.ts';

interface BubbleProps {
  readonly item: Extract<Item, { readonly kind: 'message' }>;
  readonly templates: OutputOf<'templates'>;
}

/** A message as the customer reads it. */
export function Bubble({ item: { message, at, isRepeat }, templates }: BubbleProps) {
  const template = templates.find(({ name }) => name === message.template);
  const parts = template
    ? textParts(template.body, template.variables, message.params)
    : [{ text: message.text ?? 'Its template was deleted, so the text is unknown.' }];
  return (
    <article class={`bubble ${message.status}`} aria-label={`${message.template}, ${statusWord[message.status]}`}>
      <p class="about">
        <span>{message.template}</span>
        {message.mode === 'live' && <span class="badge">live, simulated</span>}
        {isRepeat && <span class="badge twice">sent twice</span>}
      </p>
      <Text parts={parts} />
      <div class="about">
        <time>{timeText(at)}</time>
        <Ticks message={message} />
        <Actions message={message} />
      </div>
    </article>
  );
}

const statusWord = { accepted: 'sent', delivered: 'delivered', read: 'read', failed: 'failed' } as const;
const tick = { accepted: '✓', delivered: '✓✓', read: '✓✓', failed: '✕' } as const;

function Ticks({ message: { status, changedAt, reason } }: { readonly message: Message }) {
  return (
    <span class={`ticks ${status}`}>
      <span aria-hidden="true">{tick[status]}</span> {statusWord[status]}
      {changedAt !== undefined && ` ${timeText(changedAt)}`}
      {reason !== undefined && ` · ${reason}`}
    </span>
  );
}

/** Buttons for the next receipt, and for sending it again. */
function Actions({ message }: { readonly message: Message }) {
  const isFailing = useSignal(false);
  const { id, status } = message;
  const set = (event: EventName, fields: object = {}) =>
    void act(() => ask('trigger', { event, fields: { message: id, ...fields } }));
  return (
    <div class="actions">
      {status === 'accepted' && (
        <button type="button" onClick={() => set('message.delivered')}>
          Deliver now
        </button>
      )}
      {(status === 'accepted' || status === 'delivered') && (
        <button type="button" onClick={() => set('message.read')}>
          Mark read
        </button>
      )}
      {status === 'accepted' && (
        <button type="button" onClick={() => (isFailing.value = true)}>
          Fail…
        </button>
      )}
      <details>
        <summary>Copy as</summary>
        {copies.map(({ name, text }) => (
          <Copy key={name} label={name} text={() => text(message)} />
        ))}
      </details>
      <Dialog title="Fail this message" isOpen={isFailing}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const given = new FormData(event.currentTarget);
            set('message.failed', { reason: { code: given.get('code'), message: given.get('message') } });
            isFailing.value = false;
          }}
        >
          <label>
            Code
            <input name="code" list="reasons" required defaultValue="undeliverable" />
          </label>
          <datalist id="reasons">
            {['undeliverable', 'blocked', 'expired', 'invalid_number', 'opted_out'].map((code) => (
              <option key={code} value={code} />
            ))}
          </datalist>
          <label>
            Text
            <input name="message" required defaultValue="the number cannot be reached" />
          </label>
          <button type="submit" class="main">
            Fail
          </button>
        </form>
      </Dialog>
    </div>
  );
}
