import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { act } from '../../asked.ts';
import { ask } from '../../connection.ts';

/** The number whose field takes the focus as soon as it is shown. */
export const replyTo = signal('');

const canned = [
  { name: 'STOP', text: 'STOP' },
  { name: '1,000 characters', text: 'A long reply. '.repeat(72).slice(0, 1_000) },
  { name: 'Right-to-left', text: 'شكرا جزيلا، متى يصل طلبي؟' },
  { name: 'Emoji', text: '👍🏽 👩‍👩‍👧 🇺🇳' },
];

/** Replies as the customer. */
export function ReplyForm({ from }: { readonly from: string }) {
  const text = useSignal('');
  const isSending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useSignalEffect(() => {
    if (replyTo.value !== from) return;
    field.current?.focus();
    replyTo.value = '';
  });
  const send = async () => {
    const given = text.value;
    if (given.trim() === '' || isSending.value) return;
    isSending.value = true;
    if (await act(() => ask('trigger', { event: 'message.received', fields: { from, text: given } }))) text.value = '';
    isSending.value = false;
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
          <button key={one.name} type="button" class="quiet" onClick={() => (text.value = one.text)}>
            {one.name}
          </button>
        ))}
      </p>
      <textarea
        ref={field}
        rows={2}
        dir="auto"
        aria-label={`Reply as ${from}`}
        placeholder={`Reply as ${from}`}
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
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
