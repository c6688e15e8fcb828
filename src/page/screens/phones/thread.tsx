import { computed } from '@preact/signals';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { useAsked } from '../../asked.ts';
import { state } from '../../connection.ts';
import { Copy } from '../../copy.tsx';
import { useKeys } from '../../keys.tsx';
import { type Item, type Phone, textOf } from '../../phones.ts';
import { linkTo, route } from '../../route.ts';
import type { Reply, SandboxEvent } from '../../state.ts';
import { Text } from '../../text.tsx';
import { dayText, timeText } from '../../time.ts';
import { Windowed } from '../../windowed.tsx';
import { Bubble } from './bubble.tsx';
import { isComposing } from './new-message.tsx';
import { ReplyForm, replyTo } from './reply.tsx';

type Templates = OutputOf<'templates'>;
type Deliveries = OutputOf<'deliveries'>;

interface ThreadProps {
  readonly phone: Phone;
  readonly label: string;
  readonly templates: Templates;
}

const replyEvents = computed(
  () =>
    new Map(
      state.value.events.flatMap((event) =>
        event.type === 'message.received' ? [[event.message ?? '', event] as const] : [],
      ),
    ),
);

/** The messages as the customer sees them, with their receipts. */
export function Thread({ phone: { phone, items }, label, templates }: ThreadProps) {
  const deliveries = useAsked('deliveries', 'deliveries', { limit: 1_000 }).value ?? [];
  // The route is ahead of this thread if the number was just changed.
  const reply = () => (replyTo.value = route.value.item);
  useKeys({ r: reply, Enter: reply });
  const last = items.at(-1);
  return (
    <section class="thread" aria-label={`Messages of ${phone}`}>
      <header>
        <a class="back" href={linkTo('phones')}>
          Back
        </a>
        <h2>{phone}</h2>
        <span class="preview">{label}</span>
        <span class="wide">
          <Copy label="Copy number" text={phone} />
        </span>
        <button type="button" class="main narrow" onClick={() => (isComposing.value = true)}>
          New message
        </button>
      </header>
      {items.length === 0 ? (
        <p class="empty">
          No messages yet. Send one with “New message”, or with{' '}
          <code>bizmsg send-template {phone} welcome --profile local</code>
        </p>
      ) : (
        <Windowed items={items} keyOf={keyOf} estimate={96} class="items" label="List of messages" isFromEnd>
          {(item, at) => (
            <>
              {isNewDay(items, at) && <p class="day">{dayText(item.at)}</p>}
              {item.kind === 'message' ? (
                <Bubble item={item} templates={templates} />
              ) : (
                <ReplyBubble reply={item.reply} event={replyEvents.value.get(item.reply.id)} deliveries={deliveries} />
              )}
            </>
          )}
        </Windowed>
      )}
      <div class="unseen" aria-live="polite">
        {last && `${last.kind === 'reply' ? 'Reply' : last.message.status}: ${textOf(last).slice(0, 200)}`}
      </div>
      <ReplyForm from={phone} />
    </section>
  );
}

function keyOf(item: Item): string {
  return item.kind === 'reply' ? item.reply.id : item.message.id;
}

function isNewDay(items: readonly Item[], at: number): boolean {
  const [before, item] = [items[at - 1], items[at]];
  return item !== undefined && (before === undefined || dayText(before.at) !== dayText(item.at));
}

interface ReplyBubbleProps {
  readonly reply: Reply;
  readonly event: SandboxEvent | undefined;
  readonly deliveries: Deliveries;
}

/** A reply of the customer, and how the webhooks took it. */
function ReplyBubble({ reply, event, deliveries }: ReplyBubbleProps) {
  const sent = deliveries.filter((delivery) => delivery.event === event?.id);
  return (
    <article class="bubble reply" aria-label="Reply">
      <Text parts={[{ text: reply.text }]} />
      <p class="about">
        <time>{timeText(reply.at)}</time>
        {sent.map(({ id, state, url, last }) => (
          <span key={id} class={`state ${state}`}>
            {state === 'queued'
              ? 'not delivered: no webhook was registered'
              : `${state}${last === null ? '' : ` (${last})`}`}
            {url !== null && ` · ${url}`}
          </span>
        ))}
      </p>
    </article>
  );
}
