import { renderedText } from '../contract/template-text.ts';
import { type DeliveryRecord, deliveryRecords, newest } from './events/deliveries.ts';
import { type RequestRow, requestRow } from './requests.ts';
import type { Message, MessageStatus, SandboxEvent } from './state/records.ts';
import type { SentMessage, State } from './state/state.ts';

export interface MessageFilter {
  readonly to?: string | undefined;
  readonly template?: string | undefined;
  readonly status?: MessageStatus | undefined;
  /** Only the newest. */
  readonly limit?: number | undefined;
}

export interface MessageRow extends Pick<Message, 'id' | 'to' | 'template' | 'params' | 'mode'> {
  readonly sent_at: string;
  readonly status: MessageStatus;
  /** As the recipient reads it; null if the template was deleted since. */
  readonly text: string | null;
}

export interface MessageStory extends MessageRow {
  /** Null for a message that no request sent, and for a request that the log has dropped. */
  readonly request: RequestRow | null;
  /** In order, including those that have not happened yet. */
  readonly receipts: readonly ReceiptRow[];
  readonly events: readonly EventStory[];
}

interface ReceiptRow {
  readonly type: string;
  readonly at: string;
  /** The event, once it has happened. */
  readonly event: string | null;
}

interface EventStory extends Pick<SandboxEvent, 'id' | 'type' | 'data'> {
  readonly at: string;
  readonly deliveries: readonly DeliveryRecord[];
}

export function messageRows(state: State, { to, template, status, limit }: MessageFilter): readonly MessageRow[] {
  const matches = ({ message, status: current }: SentMessage) =>
    (to === undefined || message.to === to) &&
    (template === undefined || message.template === template) &&
    (status === undefined || current === status);
  const found = [...state.messages.values()].filter(matches);
  return newest(found, limit).map((sent) => messageRow(sent, state));
}

export function messageStory(state: State, id: string): MessageStory | undefined {
  const sent = state.messages.get(id);
  if (!sent) return undefined;
  const events = [...state.events].filter(({ message }) => message === id);
  const request = [...state.calls].find(({ message }) => message === id);
  return {
    ...messageRow(sent, state),
    request: request ? requestRow(request) : null,
    receipts: [
      ...events.map(({ type, at, id: event }) => ({ type, at: iso(at), event })),
      ...sent.message.receipts.slice(sent.done).map(({ type, at }) => ({ type, at: iso(at), event: null })),
    ],
    events: events.map(({ id, type, at, data }) => {
      return { id, type, at: iso(at), data, deliveries: deliveryRecords(state, id) };
    }),
  };
}

export function messageRow({ message, status }: SentMessage, { templates }: State): MessageRow {
  const { id, to, template: name, params, mode, sentAt } = message;
  const template = templates.by.get(name);
  const text = template ? renderedText(template.body, template.variables, params) : null;
  return { sent_at: iso(sentAt), to, template: name, status, text, id, params, mode };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
