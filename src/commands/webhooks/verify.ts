import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, option } from '../../cli/params.ts';
import type { RawDelivery } from '../../webhooks/event/raw.ts';
import type { Verdict } from '../../webhooks/sign/verify.ts';
import { deliveryIn } from './delivery-file.ts';
import { secretHint, secretIn, secretParams } from './secrets.ts';
import { sayingDamage } from './selection.ts';

export const verifyEvent = command({
  name: 'verify',
  summary: 'Check the signature of an event that was received, or of one in a file',
  details: [
    'When the signature is bad, it is found out and said why. The age of an event is taken at the time it',
    'came, that of a file now. Exit 0: the signature is good. 12: it is bad, or there is none. 3: no secret is',
    'known here.',
  ].join('\n'),
  params: {
    id: argument('[id]', 'the id of an event, from webhooks history, or how it begins (the newest)'),
    file: option('--file <file>', 'an event as webhooks show --raw writes it, or - for stdin'),
    at: option('--at <time>', 'the time at which its age counts: 2026-05-01T12:00:00Z, or Unix seconds', moment),
    ...secretParams,
  },
  examples: ['webhooks verify', 'webhooks verify --file event.http --secret-file secret.txt'],
  sample: 'good: e1fq8zk3m00: it was signed with the secret of the profile "acme"',
  accepts: ['profile', ...printOptions],
  piped: 'text',
  run: async (context, { id, file, at, ...given }) => {
    if (id !== undefined && file !== undefined) throw usage('an id and --file exclude each other');
    const { what, raw, clock } = file === undefined ? await received(context, id) : await filed(context, file);
    const known = await secretIn(context, given);
    const { check } = await import('../../webhooks/sign/verify.ts');
    const result = check(known === undefined ? [] : [known.secret], raw.headers, raw.body, at ?? clock);
    return { what, verdict: result.verdict, why: reasonOf(result, known?.whose) };
  },
  view: ({ what, verdict, why }, ui) => {
    const paint = verdict === 'good' ? ui.color.green : verdict === 'bad' ? ui.color.red : ui.color.yellow;
    return `${paint(verdict)}: ${what}: ${why}`;
  },
  exit: ({ verdict }) => exits[verdict],
});

const exits = { good: 'done', bad: 'opposite', unsigned: 'opposite', unknown: 'configuration' } as const;

function reasonOf(result: Verdict, whose: string | undefined): string {
  if (result.verdict === 'good') return `it was signed with ${whose}`;
  return result.verdict === 'bad' ? result.why : reasons[result.verdict];
}

const reasons = {
  unsigned: 'no header says that anybody signed it',
  unknown: `it is signed, but no secret is known here: ${secretHint}`,
} as const;

interface Checked {
  readonly what: string;
  readonly raw: RawDelivery;
  /** By which its timestamp is judged. */
  readonly clock: number;
}

async function received(context: Context, id: string | undefined): Promise<Checked> {
  const [{ stateFolder }, { findEvent }, { rawDelivery }] = await Promise.all([
    context.sandboxes(),
    import('../../webhooks/log/history.ts'),
    import('../../webhooks/event/raw.ts'),
  ]);
  const { event } = findEvent(stateFolder, id, await sayingDamage(context));
  return { what: event.id, raw: rawDelivery(event), clock: event.received_at };
}

async function filed(context: Context, file: string): Promise<Checked> {
  const {
    process: { now },
  } = await context.sandboxes();
  return { ...(await deliveryIn(context, file)), clock: now() };
}

/** Milliseconds of the time of day, from the seconds of a timestamp or a written time. */
function moment(text: string): number {
  const time = /^\d{1,11}$/.test(text) ? Number(text) * 1000 : timeIn(text);
  if (!Number.isNaN(time)) return time;
  throw usage(`"${text}" is not a time`, 'use seconds, or a time such as 2026-05-01T12:00:00Z');
}

/** Without a zone it would be another time on another machine. */
function timeIn(text: string): number {
  return /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
}
