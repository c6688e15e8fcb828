import { usage } from '../../base/errors.ts';
import { command, type Context } from '../../cli/command.ts';
import { printOptions } from '../../cli/globals.ts';
import { argument, option } from '../../cli/params.ts';
import { readRaw } from '../../webhooks/event/raw.ts';
import { findEvent } from '../../webhooks/history.ts';
import { check, type Verdict } from '../../delivery/signature.ts';
import { withRecordedEvents } from './recorded.ts';
import { secretHint, secretParams, secretsToTry } from './secrets.ts';

export const verifyEvent = command({
  name: 'verify',
  summary: 'Check the signature of a received event, or of an event in a file',
  details: `If the signature is bad, the reason is printed. The age of a received event counts at the time it was
    received, that of a file now. If neither a secret nor a profile is named, the secrets of the running sandbox are
    tried, too. Exit 0: the signature is good. 12: it is bad or missing. 3: no webhook secret is known.`,
  params: {
    id: argument('[id]', 'the id of an event from webhooks list, or its beginning (default: the newest)'),
    file: option('--file <file>', 'an event file written by webhooks show --raw, or - for stdin'),
    at: option('--at <time>', 'check the age at this time: 2026-05-01T12:00:00Z, or Unix seconds', moment),
    ...secretParams,
  },
  examples: ['webhooks verify', 'webhooks verify --file event.http --secret-file secret.txt'],
  accepts: ['profile', ...printOptions],
  run: async (context, { id, file, at, ...options }) => {
    if (id !== undefined && file !== undefined) throw usage('give either an id or --file');
    const { name, raw, clock } = file === undefined ? await received(context, id) : await filed(context, file);
    const candidates = await secretsToTry(context, options);
    const checkWith = (secrets: readonly string[]) => check(secrets, raw.headers, raw.body, at ?? clock);
    const signer = candidates.find(({ secret }) => checkWith([secret]).verdict === 'good');
    const result = checkWith(signer ? [signer.secret] : candidates.map(({ secret }) => secret));
    return { what: name, verdict: result.verdict, why: reasonOf(result, signer?.whose) };
  },
  view: ({ what, verdict, why }, ui) => {
    const paint = verdict === 'good' ? ui.color.green : verdict === 'bad' ? ui.color.red : ui.color.yellow;
    return `${paint(verdict)}: ${what}: ${why}`;
  },
  exit: ({ verdict }) => exits[verdict],
});

const exits = { good: 'done', bad: 'opposite', unsigned: 'opposite', unknown: 'configuration' } as const;

function reasonOf(result: Verdict, whose: string | undefined): string {
  if (result.verdict === 'good') return `signed with ${whose}`;
  if (result.verdict === 'bad') return result.why;
  if (result.verdict === 'unsigned') return 'it has no signature headers';
  return `it has a signature, but no webhook secret is known: ${secretHint}`;
}

/** With the time at which to check the age of the signature. */
async function received(context: Context, id: string | undefined) {
  const { event } = await withRecordedEvents(context, (logs) => findEvent(logs, id));
  return { name: event.id, raw: event, clock: event.received_at };
}

async function filed(context: Context, file: string) {
  const raw = readRaw(await context.bytes(file));
  const name = file === '-' ? 'stdin' : file;
  if (raw) return { name, raw, clock: context.host.now() };
  throw usage(
    `${name} is not an event file`,
    'it must begin like HTTP: POST /path HTTP/1.1, headers, an empty line, the body',
  );
}

/** Reads Unix seconds, or an ISO time with its zone, which is the same on every machine. Returns milliseconds. */
function moment(text: string): number {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000;
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw usage(`"${text}" is not a time`, 'use seconds, or a time such as 2026-05-01T12:00:00Z');
}
