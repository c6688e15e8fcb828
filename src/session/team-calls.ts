import { query, type Row, type Transaction } from '../base/transaction.ts';
import { endpoints } from '../contract/endpoints.ts';
import type { Call } from '../logs/activity.ts';
import { runIn, textIn } from '../ledger/records.ts';
import { isSingles, singles } from '../ledger/run.ts';
import { states } from '../ledger/states.ts';

/** The runs and the single messages of all machines, each with the tick of its last change as its number. */
const calls = `SELECT run.*, run.tick AS number, run.last_at AS time, NULL::bigint AS state, NULL AS message_id, NULL AS code
  FROM run WHERE is_draft = 0 AND id NOT LIKE '${singles}%'
  UNION ALL SELECT run.*, item.tick, item.at, item.state, item.message_id, item.code
  FROM item JOIN run ON run.n = item.run WHERE id LIKE '${singles}%'`;

export function sharedBefore(number = Number.MAX_SAFE_INTEGER, limit = 500): Transaction<readonly Call[]> {
  return selected('number < $1 ORDER BY number DESC LIMIT $2', number, limit);
}

export function sharedAfter(number: number): Transaction<readonly Call[]> {
  return selected('number > $1 ORDER BY number LIMIT 500', number);
}

function selected(which: string, ...values: readonly number[]): Transaction<readonly Call[]> {
  return function* () {
    return (yield* query(`SELECT * FROM (${calls}) AS calls WHERE ${which}`, ...values)).map(callIn);
  };
}

function callIn(row: Row): Call {
  const { id, account, mode, kind, template = null, command, start, rows, counts } = runIn(row);
  const { done, failed, unsure } = counts;
  const { method, path } = kind === 'message' ? endpoints.sendTemplate : endpoints.createContact;
  const host = new URL(account.origin).host;
  const about = {
    at: Number(row['time']),
    pid: 0,
    start,
    profile: null,
    mode,
    simulated: false,
    host,
    command,
    template,
  };
  const call = { ...about, id: Number(row['number']), method, endpoint: path, recipient: null, status: null };
  if (isSingles(id)) {
    const state = states[Number(row['state'])] ?? 'absent';
    const [message_id, code] = [textIn(row, 'message_id') ?? null, textIn(row, 'code') ?? null];
    return { ...call, run: null, outcome: state === 'leaving' ? 'under way' : state, message_id, code, counts: null };
  }
  const unsent = rows - done - failed - unsure;
  const outcome = unsure > 0 ? 'unsure' : failed === 0 && unsent <= 0 ? 'done' : done > 0 ? 'partial' : 'failed';
  return { ...call, run: id, outcome, message_id: null, code: null, counts: { rows, done, failed, unsure, unsent } };
}
