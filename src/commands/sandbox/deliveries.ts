import { usage } from '../../base/errors.ts';
import { type Command, command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { cell, isRow, isRows, type Row } from '../../cli/output/rows.ts';
import { argument, count, flag, option } from '../../cli/params.ts';
import type { Remaining } from '../../sandbox/events/deliveries.ts';
import { inOurWords } from './control-errors.ts';

const described = {
  name: 'deliveries',
  summary: 'List the deliveries of events to webhooks, or show one with its attempts',
  params: {
    id: argument('[id]', 'the id of a delivery, or of an event: shows every attempt, as sent and answered'),
    failed: flag('--failed', 'only dead ones: ten attempts failed, or the webhook gets nothing more'),
    waiting: flag('--waiting', 'only those that wait for an attempt, the first or another'),
    queued: flag('--queued', 'only events that came while nobody listened'),
    limit: option('--limit <n>', 'show at most the n newest (all)', count),
  },
  examples: ['sandbox deliveries', 'sandbox deliveries --failed --waiting -o json'],
  sample:
    'id\tevent\ttype\turl\tstate\tattempts\tlast\tnext_at\ndlv_…\tevt_…\tmessage.failed\thttp://127.0.0.1:3000/hooks\twaiting\t1\t503\t2026-…',
  honours: [...printing],
} as const;

const all = command({
  ...described,
  piped: 'rows',
  first: ['id', 'type', 'state', 'attempts', 'last'],
  run: async (context, { failed, waiting, queued, limit }) => {
    const states = [
      ...(failed ? (['dead'] as const) : []),
      ...(waiting ? (['waiting'] as const) : []),
      ...(queued ? (['queued'] as const) : []),
    ];
    return (await context.sandbox()).deliveries({ states: states.length > 0 ? states : undefined, limit });
  },
  view: () => 'No deliveries',
});

const one = command({
  ...described,
  piped: 'text',
  run: async (context, { id = '', failed, waiting, queued, limit }) => {
    if (failed || waiting || queued || limit !== undefined) throw usage('an id excludes the other options');
    const deliveries = await inOurWords((await context.sandbox()).delivery(id), { see: 'sandbox deliveries' });
    return { deliveries };
  },
  view: ({ deliveries }) => deliveries.map(deliveryText).join('\n\n'),
});

export const sandboxDeliveries: Command = {
  ...all,
  run: (context, texts, emit) => (texts['id']?.length ? one : all).run(context, texts, emit),
};

export const redeliver = command({
  name: 'redeliver',
  summary: 'Deliver an event again at once, or all that failed',
  details: 'Its ten attempts begin anew. An event for which there was no webhook goes to those that are there now.',
  params: {
    id: argument('[id]', 'the id of a delivery, from sandbox deliveries, or of an event for all of its deliveries'),
    failed: flag('--failed', 'every delivery that is dead because ten attempts failed'),
  },
  examples: ['sandbox redeliver --failed'],
  sample: 'Delivering again: 3',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { id, failed }) => {
    if (id !== undefined && failed) throw usage('an id and --failed exclude each other');
    const which = failed ? 'failed' : id;
    if (which === undefined) throw usage('what is delivered again is missing', 'give an id, or --failed');
    const asked = (await context.sandbox()).redeliver(which);
    const { redelivered, remaining } = await inOurWords(asked, { see: 'sandbox deliveries' });
    if (failed) for (const line of leftOut(remaining)) context.note('not-redelivered', line);
    return { redelivered };
  },
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing to deliver again' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});

function leftOut({ disabled, removed, waiting }: Remaining): readonly string[] {
  return [
    ...told(disabled, 'dead because the webhook is disabled: add it again'),
    ...told(removed, 'dead because the webhook was removed: redeliver the event'),
    ...told(waiting, 'waiting for the next attempt: give the id'),
  ];
}

function told(count: number, how: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? 'is' : 'are'} ${how}`];
}

/** A delivery with every attempt: what was sent, and what came back. */
function deliveryText({ id, event, type, url, state, last, next_at: next, fault, attempts }: Row): string {
  const outcome = next === null ? last : `next at ${cell(next)}`;
  const head = [id, type, url, state, isRows(attempts) && attempts.length > 0 ? outcome : undefined];
  const about = `event ${cell(event)}${typeof fault === 'string' ? `, struck by ${fault}` : ''}`;
  const made = isRows(attempts) ? attempts.map((attempt, at) => attemptText(attempt, at + 1, url)) : [];
  return [line(head), about, ...made].join('\n');
}

function attemptText({ at, request, response, error, took }: Row, ordinal: number, url: unknown): string {
  const head = `attempt ${ordinal}  ${new Date(Number(at)).toISOString()}  ${cell(took)} ms`;
  const sent = isRow(request) ? message('>', `POST ${cell(url)}`, request) : [];
  const answered = isRow(response) ? message('<', cell(response['status']), response) : [];
  return ['', head, ...sent, ...answered, ...(error === undefined ? [] : [`! ${cell(error)}`])].join('\n');
}

function message(mark: string, first: string, { headers, body, encoding }: Row): readonly string[] {
  const named = isRow(headers) ? Object.entries(headers).map(([name, value]) => `${name}: ${cell(value)}`) : [];
  const content = [...(encoding === undefined ? [] : [`(${cell(encoding)})`]), ...(body === '' ? [] : [cell(body)])];
  return [first, ...named, ...(content.length > 0 ? ['', ...content] : [])].map((text) => `${mark} ${text}`.trimEnd());
}

function line(parts: readonly unknown[]): string {
  return parts
    .map(cell)
    .filter((part) => part !== '')
    .join('  ');
}
