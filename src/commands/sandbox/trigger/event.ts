import { type EventName, events } from '../../../contract/events.ts';
import { usage } from '../../../base/errors.ts';
import { nearest } from '../../../base/suggest.ts';
import { cell, isRow, type Row } from '../../../cli/output/rows.ts';
import { isEventName } from '../fault/names.ts';

export const eventNames: readonly EventName[] = Object.keys(events).filter(isEventName);

export function eventNamed(text: string): EventName {
  if (isEventName(text)) return text;
  const near = nearest(text, eventNames);
  throw usage(`"${text}" is not an event`, near ? `did you mean ${near}?` : `the events are ${eventNames.join(', ')}`);
}

/** An event of the sandbox, as a row. */
export function eventRow({ id, type, at, data }: Row) {
  return { id, type, at: new Date(Number(at)).toISOString(), data };
}

/** On one line: when, what, and what it is about. */
export function eventLine({ id, type, at, data }: Row): string {
  return [cell(at).slice(11, 23), type, id, isRow(data) ? aboutOf(data) : undefined].map(cell).join('  ');
}

function aboutOf(data: Row): unknown {
  return data['message_id'] ?? data['order_id'] ?? data['flow_run_id'] ?? data['campaign_id'] ?? data['id'];
}
