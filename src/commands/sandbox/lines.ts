import { cell } from '../../cli/output/rows.ts';
import type { Ui } from '../../cli/output/ui.ts';
import { type Step, stepsOf } from '../../sandbox/control/story.ts';
import type { DeliveryRecord } from '../../sandbox/events/deliveries.ts';
import type { HappenedEvent } from '../../sandbox/watch.ts';
import type { MessageStory, RequestRow } from '../../sandbox/views.ts';
import type { SandboxEvent } from '../../sandbox/state/records.ts';

/** A request on one line. */
export function requestLine({ at, method, path, status, message_id, fault, detail }: RequestRow, ui: Ui): string {
  const about = [message_id, fault, detail].filter((value) => value !== null);
  const code = status === 0 ? 'no answer' : String(status);
  const outcome = status >= 200 && status < 300 ? ui.color.green(code) : ui.color.red(code);
  return ui.line([ui.time(at), method.padEnd(4), path, outcome, ...about]);
}

/** A message, its text, and what happened to it, in order. */
export function storyText(story: MessageStory, ui: Ui): string {
  const { id, to, template, status, text } = story;
  const head = [ui.color.bold(id), to, template, statusText(status, ui)].join('  ');
  const lines = stepsOf(story).map((step) => stepLine(step, ui));
  return [head, text ?? 'its template was deleted, so the text is unknown', '', ...lines].join('\n');
}

function statusText(status: MessageStory['status'], { color }: Ui): string {
  if (status === 'failed') return color.red(status);
  return status === 'accepted' ? color.yellow(status) : color.green(status);
}

const arrows = { request: '', event: '', delivery: '→ ', handler: '  → handler ' } as const;

function stepLine({ kind, what, note, at, state, event }: Step, ui: Ui): string {
  const subject = arrows[kind] + (what ?? (kind === 'request' ? 'sent' : note));
  const paint = state === 'bad' ? ui.color.red : ui.color.green;
  const notes = what === null || note === '' ? [] : [state === 'pending' ? note : paint(note)];
  const time = ui.time(new Date(at).toISOString());
  if (state === 'pending') return ui.line([time, ui.color.dim(`${subject} is due`), ...notes]);
  return ui.line([time, subject, ...(event === undefined ? [] : [event]), ...notes]);
}

/** The id of the record that an event is about. */
export function subjectOf(data: SandboxEvent['data']): unknown {
  return data['message_id'] ?? data['order_id'] ?? data['flow_run_id'] ?? data['campaign_id'] ?? data['id'];
}

/** An event with the last attempt to deliver it. */
export function eventLine({ event: { type, at, data }, delivery }: HappenedEvent, ui: Ui): string {
  const result = delivery ? outcome(delivery, ui) : [ui.color.dim('no webhook')];
  return ui.line([ui.time(new Date(at).toISOString()), ui.color.bold(type), cell(subjectOf(data)), ...result]);
}

function outcome({ state, last, url, attempts, next_at: next }: DeliveryRecord, ui: Ui): readonly string[] {
  const took = attempts.at(-1)?.took;
  const result = `→ ${cell(last ?? state)}${took === undefined ? '' : ` in ${took} ms`}`;
  const more = next === null ? (state === 'dead' ? ['given up'] : []) : [`again at ${ui.time(next)}`];
  return [(state === 'delivered' ? ui.color.green : ui.color.red)(result), url ?? '', ...more];
}

/** A delivery with each attempt as `curl -v` shows it. */
export function deliveryText(delivery: DeliveryRecord): string {
  const { id, event, type, url, state, last, next_at: next, fault, attempts } = delivery;
  const outcome = attempts.length === 0 ? null : next === null ? last : `next at ${next}`;
  const head = [id, type, url, state, outcome].filter((part) => part !== null).join('  ');
  const about = `event ${event}${fault === null ? '' : `, affected by ${fault}`}`;
  return [head, about, ...attempts.map((attempt, index) => attemptText(attempt, index + 1, url))].join('\n');
}

type Attempt = DeliveryRecord['attempts'][number];

function attemptText({ at, request, response, error, took }: Attempt, ordinal: number, url: string | null): string {
  const head = `attempt ${ordinal}  ${new Date(at).toISOString()}  ${took} ms`;
  const received = response ? partLines('<', String(response.status), response) : [];
  const failure = error === undefined ? [] : [`! ${error}`];
  return ['', head, ...partLines('>', `POST ${url}`, request), ...received, ...failure].join('\n');
}

type Sent = Pick<Attempt['request'], 'headers' | 'body'> & { readonly encoding?: string };

function partLines(mark: string, first: string, { headers, body, encoding }: Sent): readonly string[] {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const content = [...(encoding === undefined ? [] : [`(${encoding})`]), ...body.split(/\r?\n/)];
  return [first, ...fields, ...(body === '' ? [] : ['', ...content])].map((line) => `${mark} ${line}`.trimEnd());
}
