import { usage } from '../../base/errors.ts';
import { type Command, command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, flag } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { newestLast, newestOf } from '../newest-last.ts';
import { ask } from './control.ts';
import { partLines } from './lines.ts';

type Delivery = OutputOf<'delivery'>[number];
type Attempt = Delivery['attempts'][number];

const described = {
  name: 'deliveries',
  summary: 'List the deliveries of events to webhooks, or show one',
  params: {
    id: argument('[id]', 'the id of a delivery or an event; shows each attempt with request and response'),
    failed: flag('--failed', 'only dead deliveries: ten attempts failed, or the webhook is disabled or removed'),
    waiting: flag('--waiting', 'only deliveries that wait for their next attempt'),
    queued: flag('--queued', 'only events that no webhook was registered for'),
    ...newestLast,
  },
  examples: ['sandbox deliveries', 'sandbox deliveries --failed --waiting -o json'],
  sample:
    'id\tevent\ttype\turl\tstate\tattempts\tlast\tnext_at\ndlv_…\tevt_…\tmessage.failed\thttp://127.0.0.1:3000/hooks\twaiting\t1\t503\t2026-…',
  accepts: printOptions,
} as const;

const list = command({
  ...described,
  piped: 'rows',
  first: ['id', 'type', 'state', 'attempts', 'last'],
  run: async (context, { failed, waiting, queued, limit }) => {
    const states = [
      ...(failed ? (['dead'] as const) : []),
      ...(waiting ? (['waiting'] as const) : []),
      ...(queued ? (['queued'] as const) : []),
    ];
    return newestOf(context, limit, (most) =>
      ask(context, 'deliveries', { limit: most, ...(states.length > 0 && { states }) }),
    );
  },
  view: () => 'No deliveries',
});

const show = command({
  ...described,
  piped: 'text',
  run: async (context, { id = '', failed, waiting, queued, limit }) => {
    if (failed || waiting || queued || limit !== undefined) throw usage('an id excludes the other options');
    return { deliveries: await ask(context, 'delivery', { id }) };
  },
  view: ({ deliveries }) => deliveries.map(deliveryText).join('\n\n'),
});

export const sandboxDeliveries: Command = {
  ...list,
  run: (context, texts, emit) => (texts['id']?.length ? show : list).run(context, texts, emit),
};

export const redeliver = command({
  name: 'redeliver',
  summary: 'Deliver an event again, or all that failed',
  details: 'The retry schedule starts over. An event without a delivery goes to the webhooks registered now.',
  params: {
    id: argument('[id]', 'the id of a delivery, from sandbox deliveries, or of an event (all its deliveries)'),
    failed: flag('--failed', 'every delivery whose ten attempts failed'),
  },
  examples: ['sandbox redeliver --failed'],
  sample: 'Delivering again: 3',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { id, failed }) => {
    if (id !== undefined && failed) throw usage('an id and --failed exclude each other');
    if (id === undefined && !failed) throw usage('specify what to redeliver', 'pass an id, or --failed');
    const { redelivered, remaining } = await ask(context, 'redeliver', failed ? { failed } : { id });
    if (failed) for (const line of skipped(remaining)) context.note('not-redelivered', line);
    return { redelivered };
  },
  view: ({ redelivered }, ui) =>
    redelivered === 0 ? 'Nothing to deliver again' : `${ui.color.green('Delivering again')}: ${redelivered}`,
});

function skipped({ disabled, removed, waiting }: OutputOf<'redeliver'>['remaining']): readonly string[] {
  const lines = [
    [disabled, 'skipped because the webhook is disabled: add it again'],
    [removed, 'skipped because the webhook was removed: redeliver the event'],
    [waiting, 'waiting for the next attempt: pass the id to deliver now'],
  ] as const;
  return lines.flatMap(([count, reason]) => (count === 0 ? [] : [`${count} ${count === 1 ? 'is' : 'are'} ${reason}`]));
}

function deliveryText({ id, event, type, url, state, last, next_at: next, fault, attempts }: Delivery): string {
  const outcome = attempts.length === 0 ? null : next === null ? last : `next at ${next}`;
  const head = [id, type, url, state, outcome].filter((part) => part !== null).join('  ');
  const about = `event ${event}${fault === null ? '' : `, affected by ${fault}`}`;
  return [head, about, ...attempts.map((attempt, index) => attemptText(attempt, index + 1, url))].join('\n');
}

function attemptText({ at, request, response, error, took }: Attempt, ordinal: number, url: string | null): string {
  const head = `attempt ${ordinal}  ${new Date(at).toISOString()}  ${took} ms`;
  const sent = partLines('>', `POST ${url}`, request);
  const received = response ? partLines('<', String(response.status), response) : [];
  return ['', head, ...sent, ...received, ...(error === undefined ? [] : [`! ${error}`])].join('\n');
}
