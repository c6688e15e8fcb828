import { jsonText } from '../base/json.ts';
import type { SeenTemplate, TemplateText } from '../cli/seen-templates.ts';
import { rendered } from '../cli/templates.ts';
import { isRecord } from '../contract/readers.ts';
import { json } from '../store/columns.ts';
import type { Sending } from '../store/history.ts';
import { outcomeOf, reasonOf } from './outcomes.ts';

/** A message to a person, or from one, as a history lists it. */
export interface HistoryRow {
  readonly at: string;
  readonly direction: 'in' | 'out';
  readonly phone: string;
  readonly template: string | null;
  /** Null once it is erased. */
  readonly text: string | null;
  readonly outcome: string | null;
  /** When it was read, for example. */
  readonly outcome_at: string | null;
  readonly batch: string | null;
  readonly reason: string | null;
  readonly profile: string | null;
  readonly mode: string | null;
  readonly id: string | null;
}

/** The account of a message. */
export interface SenderFacts {
  readonly profile: string | undefined;
  readonly templates: readonly SeenTemplate[];
}

export function sendingRow(sending: Sending, { profile, templates }: SenderFacts): HistoryRow {
  const { at, who, scope, body, batch, by, state, messageId } = sending;
  const isElsewhere = state === 'sent' && by !== undefined;
  const before = `got it before, by ${by === '' ? 'a single message' : `batch ${by}`}`;
  const seen = templates.find(({ name }) => name === scope.template);
  return {
    at: new Date(at).toISOString(),
    direction: 'out',
    phone: who,
    template: scope.template,
    text: body === undefined ? null : messageText(body, seen),
    outcome: isElsewhere ? 'not-sent' : outcomeOf[state],
    outcome_at: null,
    batch: batch ?? null,
    reason: isElsewhere ? before : (reasonOf(sending) ?? (scope.kind === 'test' ? 'a test' : null)),
    profile: profile ?? scope.account,
    mode: scope.mode,
    id: messageId ?? null,
  };
}

/** The text as the recipient reads it, or the params if the text of the template is not known. */
export function messageText(body: string, template: TemplateText | undefined): string {
  const message = json(body, 'body');
  const params = isRecord(message) && Array.isArray(message['params']) ? message['params'] : [];
  const texts = params.map((param) => (typeof param === 'string' ? param : jsonText(param)));
  return (template && rendered(template, texts)) ?? texts.join(' · ');
}
