import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { ask, useAsked } from '../ask.ts';
import { useClock } from '../clock.tsx';
import { state } from '../connection.ts';
import { Icon } from '../icons.tsx';
import { Json } from '../json.tsx';
import { act, Copy } from '../notice.tsx';
import type { Item } from '../phones.ts';
import { goTo, linkTo } from '../route.ts';
import { type Attempt, deliverySteps, type Step, stepsOf } from '../story.ts';
import { marked, Text } from '../text.tsx';
import { distanceText, timeText } from '../words.ts';
import { RequestDetails } from './request.tsx';

interface StoryProps {
  readonly phone: string;
  readonly item: Item | undefined;
  /** Above the steps. */
  readonly children: ComponentChildren;
}

/** The story of a message, in order: the request, receipts, events, deliveries, and what is still to come. */
export function Story({ phone, item, children }: StoryProps) {
  return (
    <aside class="story" aria-label="What happened">
      <header>
        <a class="back icon-button" href={linkTo('phones', phone)} aria-label="Back to the conversation">
          <Icon name="back" />
        </a>
        <h2>What happened</h2>
        {item && <Id item={item} />}
      </header>
      {children}
      {item === undefined ? (
        <p class="empty">Choose a message to see its request, receipts, events and webhook deliveries.</p>
      ) : item.kind === 'message' ? (
        <OfMessage key={item.message.id} id={item.message.id} />
      ) : (
        <OfReply key={item.reply.id} reply={item.reply.id} />
      )}
    </aside>
  );
}

function Id({ item }: { readonly item: Item }) {
  const id = item.kind === 'message' ? item.message.id : item.reply.id;
  return (
    <span class="id">
      <code>{id}</code> <Copy label="Copy id" icon="copy" text={id} />
    </span>
  );
}

export function OfMessage({ id }: { readonly id: string }) {
  const story = useAsked('deliveries', 'message', { id });
  const request = state.value.requests.findLast(({ message_id: message }) => message === id);
  const message = state.value.messages.find((one) => one.id === id);
  if (!story) return <p class="empty">Loading</p>;
  const steps = stepsOf(story);
  const latest = latestOf(steps);
  return (
    <ol class="line-of-steps">
      <StepRow
        step={{
          key: 'request',
          title: request ? 'Accepted' : 'Sent',
          note: request ? `POST send-template · ${request.status}` : 'no request in the log',
          at: Date.parse(story.sent_at),
          state: 'good',
          isDelivery: false,
        }}
        isLatest={latest === undefined}
      >
        {request && <RequestDetails request={request} message={message} />}
      </StepRow>
      {steps.map((step) => (
        <StepRow key={step.key} step={step} isLatest={step === latest} />
      ))}
    </ol>
  );
}

/** The last event so far: its payload is what a handler is written for. */
function latestOf(steps: readonly Step[]): Step | undefined {
  return steps.findLast(({ event }) => event !== undefined);
}

/** A reply is an event, without receipts. */
function OfReply({ reply }: { readonly reply: string }) {
  const event = state.value.events.findLast(({ message }) => message === reply);
  return event ? <OfEvent id={event.id} at={event.at} type={event.type} /> : <p class="empty">Loading</p>;
}

interface OfEventProps {
  readonly id: string;
  readonly at: number;
  readonly type: string;
}

export function OfEvent({ id, at, type }: OfEventProps) {
  const deliveries = useAsked('deliveries', 'delivery', { id }) ?? [];
  const first: Step = {
    key: id,
    title: type.replace('message.', ''),
    note: '',
    at,
    state: 'good',
    isDelivery: false,
    event: id,
  };
  return (
    <ol class="line-of-steps">
      {[first, ...deliveries.flatMap(deliverySteps)].map((step) => (
        <StepRow key={step.key} step={step} isLatest={step === first} />
      ))}
    </ol>
  );
}

interface StepRowProps {
  readonly step: Step;
  /** Whether it shows its details at first. */
  readonly isLatest: boolean;
  readonly children?: ComponentChildren;
}

/** A step, which opens to what was sent and answered. */
function StepRow({ step, isLatest, children }: StepRowProps) {
  const isOpen = useSignal(isLatest);
  const { title, note, at, state: how, isDelivery, event, attempt } = step;
  const details = children ?? (event ? <EventDetails id={event} /> : attempt && <AttemptDetails attempt={attempt} />);
  const head = (
    <>
      <span class="what">
        <strong>{title}</strong>
        {note !== '' && <span class="note">{marked(note)}</span>}
      </span>
      {how === 'pending' ? <Due at={at} /> : at > 0 && <time>{timeText(at)}</time>}
    </>
  );
  return (
    <li class={`is-${how} ${isDelivery ? 'delivery' : ''}`}>
      {details ? (
        <button type="button" class="head" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {head}
          <Icon name="open" />
        </button>
      ) : (
        <div class="head">{head}</div>
      )}
      {isOpen.value && <div class="details">{details}</div>}
    </li>
  );
}

/** When a step is due. */
function Due({ at }: { readonly at: number }) {
  const clock = useClock();
  const left = clock ? at - clock.now : 0;
  return (
    <span class="due">
      due {timeText(at)}
      {left > 0 && ` · in ${distanceText(left)}`}
    </span>
  );
}

function EventDetails({ id }: { readonly id: string }) {
  const found = useAsked('deliveries', 'delivery', { id });
  const [first] = found ?? [];
  if (!first) return null;
  return (
    <>
      <div class="actions">
        <Copy label="Copy payload" icon="copy" text={() => JSON.stringify(first.payload, null, 2)} />
        {first.url !== null && (
          <button type="button" onClick={() => void act(() => ask('redeliver', { id }), 'Redelivered')}>
            Redeliver
          </button>
        )}
        {first.url === null && <a href={linkTo('deliveries')}>Add a webhook</a>}
      </div>
      <Json value={first.payload} />
    </>
  );
}

const parts = ['Answer', 'Request'] as const;

function AttemptDetails({ attempt: { request, response, error } }: { readonly attempt: Attempt }) {
  const part = useSignal<(typeof parts)[number]>('Answer');
  return (
    <>
      <Tabs names={parts} chosen={part} />
      {part.value === 'Request' ? (
        <Bytes {...request} />
      ) : response ? (
        <Bytes {...response} />
      ) : (
        <p class="note">{marked(error ?? 'no answer')}</p>
      )}
    </>
  );
}

interface TabsProps<T extends string> {
  readonly names: readonly T[];
  readonly chosen: Signal<T>;
}

function Tabs<T extends string>({ names, chosen }: TabsProps<T>) {
  return (
    <div class="tabs">
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={chosen.value === name} onClick={() => (chosen.value = name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

interface BytesProps {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function Bytes({ headers, body }: BytesProps) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return (
    <pre>
      <Text parts={[{ text: `${head.join('')}\n${body}` }]} />
    </pre>
  );
}

/** Opens the story of a message. */
export function openStory(phone: string, id: string): void {
  goTo('phones', `${phone}/${id}`);
}
