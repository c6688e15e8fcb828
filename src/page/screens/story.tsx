import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { ask, useAsked } from '../ask.ts';
import { eventSteps, type Step, stepsOf } from '../../sandbox/control/story.ts';
import { useClock } from '../clock.tsx';
import { state } from '../connection.ts';
import { Icon } from '../icons.tsx';
import { Json } from '../json.tsx';
import { act, Copy } from '../notice.tsx';
import type { Item } from '../phones.ts';
import { goTo, linkTo } from '../route.ts';
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
  return story ? <Steps steps={stepsOf(story)} message={id} /> : <p class="empty">Loading</p>;
}

/** A reply is an event, without receipts. */
function OfReply({ reply }: { readonly reply: string }) {
  const event = state.value.events.findLast(({ message }) => message === reply);
  return event ? <OfEvent id={event.id} /> : <p class="empty">Loading</p>;
}

/** By the id of an event or a delivery. */
export function OfEvent({ id }: { readonly id: string }) {
  const deliveries = useAsked('deliveries', 'delivery', { id }) ?? [];
  const [first] = deliveries;
  return first ? <Steps steps={eventSteps({ ...first, id, data: {} }, deliveries)} /> : null;
}

interface StepsProps {
  readonly steps: readonly Step[];
  readonly message?: string;
}

/** At first, only the last event so far is open: its payload is what a handler is written for. */
function Steps({ steps, message }: StepsProps) {
  const latest = steps.findLast(({ kind, state: how }) => kind === 'event' && how !== 'pending') ?? steps[0];
  return (
    <ol class="line-of-steps">
      {steps.map((step) => (
        <StepRow key={step.key} step={step} isLatest={step === latest} message={message} />
      ))}
    </ol>
  );
}

interface StepRowProps {
  readonly step: Step;
  /** Whether it shows its details at first. */
  readonly isLatest: boolean;
  readonly message: string | undefined;
}

/** A step, which opens to what was sent and answered. */
function StepRow({ step, isLatest, message }: StepRowProps) {
  const isOpen = useSignal(isLatest);
  const { kind, note, at, state: how } = step;
  const details = detailsOf(step, message);
  const head = (
    <>
      <span class="what">
        <strong>{titleOf(step)}</strong>
        {note !== '' && <span class="note">{marked(noteOf(step))}</span>}
        {how === 'pending' && <Due at={at} />}
      </span>
      {how !== 'pending' && <time>{timeText(at)}</time>}
    </>
  );
  return (
    <li class={`is-${how} ${kind}`}>
      {details ? (
        <button type="button" class="head" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {head}
          <Icon name="open" />
        </button>
      ) : (
        <div class="head">
          {head}
          {how === 'pending' && <Now at={at} />}
        </div>
      )}
      {isOpen.value && details && <div class="details">{details}</div>}
    </li>
  );
}

function titleOf({ kind, what, state: how }: Step): string {
  if (kind === 'request') return what === null ? 'Sent' : how === 'bad' ? 'Sent, but the answer failed' : 'Accepted';
  if (what === null) return 'Not delivered';
  if (kind === 'event') return what.replace(/^message\.(.)/, (_, first: string) => first.toUpperCase());
  const url = what.replace(/^https?:\/\//, '');
  return kind === 'delivery' ? `POST ${url}` : `Handler ${url}`;
}

/** With the first line of what a handler answered to a failed delivery: it is often the reason. */
function noteOf({ kind, what, note, state: how, forward }: Step): string {
  if (kind === 'request') return `${what?.replace(/\/.*\//, '') ?? ''} · ${note}`;
  const [line] = forward?.body?.trim().split('\n') ?? [];
  return how === 'bad' && line ? `${note}: ${line.slice(0, 200)}` : note;
}

function detailsOf({ kind, event, attempt, forward }: Step, message: string | undefined): JSX.Element | undefined {
  if (kind === 'request' && message !== undefined) return <RequestOf message={message} />;
  if (event !== undefined) return <EventDetails id={event} />;
  if (attempt) return <AttemptDetails attempt={attempt} />;
  return forward?.body === undefined ? undefined : <pre>{marked(forward.body)}</pre>;
}

function RequestOf({ message }: { readonly message: string }) {
  const { requests, messages } = state.value;
  const request = requests.findLast(({ message_id: id }) => id === message);
  if (!request) return <p class="note">The log of requests does not have it.</p>;
  return <RequestDetails request={request} message={messages.find(({ id }) => id === message)} />;
}

function Due({ at }: { readonly at: number }) {
  const left = at - (useClock()?.now ?? at);
  return (
    <span class="due">
      due {timeText(at)}
      {left > 0 && ` · in ${distanceText(left)}`}
    </span>
  );
}

/** Advances the clock to what is due. */
function Now({ at }: { readonly at: number }) {
  const left = at - (useClock()?.now ?? at);
  return (
    <button
      type="button"
      class="small"
      title={`Advances the clock to ${timeText(at)}`}
      disabled={left <= 0}
      onClick={() => void act(() => ask('advanceClock', { by: left }))}
    >
      Now
    </button>
  );
}

function EventDetails({ id }: { readonly id: string }) {
  const found = useAsked('deliveries', 'delivery', { id });
  const [first] = found ?? [];
  if (!first) return null;
  return (
    <>
      <div class="actions">
        <h3>Payload</h3>
        <Copy label="Copy payload" icon="copy" text={() => JSON.stringify(first.payload, null, 2)} />
        {first.url !== null && (
          <button type="button" class="small" onClick={() => void act(() => ask('redeliver', { id }), 'Redelivered')}>
            Redeliver
          </button>
        )}
        {first.url === null && <a href={linkTo('deliveries')}>Add a webhook</a>}
      </div>
      <Json value={first.payload} />
    </>
  );
}

type Attempt = NonNullable<Step['attempt']>;

function AttemptDetails({ attempt: { request, response, error } }: { readonly attempt: Attempt }) {
  return (
    <>
      {response ? (
        <Bytes first={String(response.status)} {...response} />
      ) : (
        <p class="note">{marked(error ?? 'no answer')}</p>
      )}
      <details>
        <summary>Request</summary>
        <Bytes {...request} />
      </details>
    </>
  );
}

interface BytesProps {
  readonly first?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function Bytes({ first, headers, body }: BytesProps) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  return (
    <pre>
      <Text parts={[{ text: `${first === undefined ? '' : `${first}\n`}${head.join('')}\n${body}` }]} />
    </pre>
  );
}

/** Opens the story of a message. */
export function openStory(phone: string, id: string): void {
  goTo('phones', `${phone}/${id}`);
}
