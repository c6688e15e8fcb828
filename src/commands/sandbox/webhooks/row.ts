import { cell, type Row } from '../../../cli/output/rows.ts';

/** A webhook of the sandbox, as a row. */
export function webhookRow({ id, url, events, secret, state, reason, created_at }: Row) {
  return {
    id,
    url,
    events: Array.isArray(events) ? events.join(',') : 'all events',
    secret,
    state: reason === undefined ? state : `${cell(state)}: ${cell(reason)}`,
    created_at,
  };
}
