import { usage } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, flag } from '../../cli/params.ts';
import type { OutputOf } from '../../sandbox/remote/remote.ts';
import { listCommand } from '../list.ts';
import { ask, sandboxLog } from './control.ts';
import { partLines } from './lines.ts';
import { eventType } from './names.ts';

type Delivery = OutputOf<'delivery'>[number];
type Attempt = Delivery['attempts'][number];

const id = argument('[id]', 'the id of a delivery or an event; shows each attempt with request and response');
const about = {
  name: 'deliveries',
  summary: 'List the deliveries of events to webhooks, or show one',
  examples: ['sandbox endpoints deliveries', 'sandbox endpoints deliveries --type message.failed -o json'],
  sample:
    'at\tid\tevent\ttype\turl\tstate\tattempts\tlast\tforwarded\tnext_at\n2026-…\tdlv_…\tevt_…\tmessage.failed\thttp:…\twaiting\t1\t503\t\t2026-…',
} as const;

const show = command({
  ...about,
  params: { id },
  accepts: printOptions,
  piped: 'text',
  run: async (context, { id = '' }) => ({ deliveries: await ask(context, 'delivery', { id }) }),
  view: ({ deliveries }) => deliveries.map(deliveryText).join('\n\n'),
});

export const sandboxDeliveries = listCommand({
  ...about,
  details: [
    'States: waiting (for the next attempt), delivered, dead (ten attempts failed, or the webhook is disabled or',
    'removed), dropped (by a fault), queued (no webhook was registered for the event). Forwarded: what the handler',
    'behind bizmsg webhooks listen --forward-to answered.',
  ].join('\n'),
  noun: 'deliveries',
  type: eventType,
  params: { id },
  instead: { id: show },
  first: ['at', 'id', 'type', 'state', 'attempts', 'last', 'forwarded'],
  open: (context) => sandboxLog(context, 'events', (sandbox, part) => sandbox.ask('deliveries', part)),
  entryOf: (row: OutputOf<'deliveries'>[number]) => ({
    id: row.id,
    at: Date.parse(row.at),
    types: [row.type],
    row: { ...row },
    hasEnded: row.state !== 'waiting' || row.attempts > 0,
  }),
  empty: 'No deliveries',
});

export const redeliver = command({
  name: 'redeliver',
  summary: 'Deliver an event again, or all that failed',
  details: 'The retry schedule starts over. An event without a delivery goes to the webhooks registered now.',
  params: {
    id: argument(
      '[id]',
      'the id of a delivery, from sandbox endpoints deliveries, or of an event (all its deliveries)',
    ),
    failed: flag('--failed', 'every delivery whose ten attempts failed'),
  },
  examples: ['sandbox endpoints redeliver --failed'],
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
