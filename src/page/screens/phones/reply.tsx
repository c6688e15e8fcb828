import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { act, useAsked } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { linkTo } from '../../route.ts';

/** The number whose field takes the focus as soon as it is shown. */
export const replyTo = signal('');

const canned = [
  { name: 'STOP', text: 'STOP' },
  { name: '1,000 characters', text: 'A long reply. '.repeat(72).slice(0, 1_000) },
  { name: 'Right-to-left', text: 'شكرا جزيلا، متى يصل طلبي؟' },
  { name: 'Emoji', text: '👍🏽 👩‍👩‍👧 🇺🇳' },
];

const storage = 'bizmsg-drafts';
/** The unsent replies, by number. A reload keeps them. */
const drafts = signal<ReadonlyMap<string, string>>(new Map(JSON.parse(sessionStorage.getItem(storage) ?? '[]')));

function keep(from: string, text: string): void {
  drafts.value = new Map([...drafts.value, [from, text]]);
  sessionStorage.setItem(storage, JSON.stringify([...drafts.value]));
}

/** Replies as the customer. */
export function ReplyForm({ from }: { readonly from: string }) {
  const text = drafts.value.get(from) ?? '';
  const webhooks = useAsked('webhooks', 'webhooks').value;
  const isSending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useSignalEffect(() => {
    if (replyTo.value !== from) return;
    field.current?.focus();
    replyTo.value = '';
  });
  const send = async () => {
    const given = drafts.value.get(from) ?? '';
    if (given.trim() === '' || isSending.value) return;
    isSending.value = true;
    if (await act(() => ask('trigger', { event: 'message.received', fields: { from, text: given } }))) keep(from, '');
    isSending.value = false;
  };
  const insert = (text: string) => {
    const { current } = field;
    if (!current) return;
    current.setRangeText(text, current.selectionStart, current.selectionEnd, 'end');
    keep(from, current.value);
    current.focus();
  };
  return (
    <form
      class="reply-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p class="canned">
        {canned.map((one) => (
          <button key={one.name} type="button" class="quiet" onClick={() => insert(one.text)}>
            {one.name}
          </button>
        ))}
        {webhooks && !webhooks.some(isListening) && (
          <>
            {' '}
            No webhook receives replies: <a href={linkTo('deliveries')}>add one</a>.
          </>
        )}
      </p>
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={`Reply as ${from}`}
        placeholder={`Reply as ${from}`}
        value={text}
        onInput={({ currentTarget }) => keep(from, currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <button type="submit" class="main">
        Reply
      </button>
    </form>
  );
}

function isListening({ state, events }: OutputOf<'webhooks'>[number]): boolean {
  return state === 'active' && (events === 'all' || events.includes('message.received'));
}
