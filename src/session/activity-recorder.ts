import { posix } from 'node:path';
import { CliError, type ExitName } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import { percentDecoded, redact } from '../base/redact.ts';
import type { CallGuard } from '../client/exchange.ts';
import type { WireRequest } from '../client/transport.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';
import { isPhone, isRecord } from '../contract/readers.ts';
import {
  activityFolder,
  begin,
  type Counts,
  type Entry,
  type Facts,
  masked,
  messagesThisMonth,
  type Result,
  type Writer,
} from './activity/log.ts';
import type { DuplicateGuard, DuplicateGuardOptions } from './duplicate-guard.ts';
import { knownSecrets, refuseKeys } from './secrets.ts';
import type { CheckedTarget, RecordRunEnd, RunStarted, Session } from './session.ts';

/** Logs calls that change something at the service, and guards live messages against accidental duplicates. */
export function recordAndGuard(session: Session, checkedTarget: CheckedTarget): CallGuard {
  let isNoted = false;
  return async (request, send, { again = false, retryUnsure = false }) => {
    const { message, ...subject } = factsIn(request);
    if (message) refuseKeys([message.template, ...message.params], await knownSecrets(session));
    const facts = { ...factsOf(session, checkedTarget), ...subject };
    const writer = writerOf(session, checkedTarget, message);
    const duplicates =
      message && isLive(checkedTarget)
        ? await openGuard({ session, checkedTarget, message, again, retryUnsure })
        : undefined;
    let entry: Entry | undefined;
    try {
      await duplicates?.ask();
      const answer = await send({
        async beforeSend() {
          await duplicates?.beforeSend();
          if (!isNoted) noteHarmless(session, checkedTarget, message !== undefined);
          isNoted = true;
          entry ??= begin(writer, facts);
        },
        beforeRetry: () => duplicates?.beforeRetry(),
      });
      duplicates?.answered(answer);
      entry?.end(resultOf(answer));
      return answer;
    } catch (error) {
      duplicates?.failed(error);
      entry?.end(resultOfError(error));
      throw message ? withNextStep(error) : error;
    } finally {
      await duplicates?.close();
    }
  };
}

async function openGuard(options: DuplicateGuardOptions): Promise<DuplicateGuard> {
  return (await import('./duplicate-guard.ts')).openDuplicateGuard(options);
}

/** Logs the start of a run; the returned function logs its result. */
export function recordRun(session: Session, checkedTarget: CheckedTarget, { name, ...run }: RunStarted): RecordRunEnd {
  const writer = writerOf(session, checkedTarget);
  noteHarmless(session, checkedTarget, name === 'sendTemplate');
  const { method, path: endpoint } = endpoints[name];
  const { host } = new URL(checkedTarget.target.baseUrl);
  const entry = begin(writer, { ...factsOf(session, checkedTarget), host, method, endpoint, ...run });
  return ({ rows, sent: done, failed, unsure, not_reached: unsent }, stop) => {
    const counts = { rows, done, failed, unsure, unsent };
    // Skipped rows, and rows beyond --first, are not failures.
    entry.end({ outcome: unsure > 0 ? 'unsure' : outcomeOfRun(counts, stop), counts });
  };
}

/** Counts this month's live messages; a lower bound. */
export function sentThisMonth(session: Session, checkedTarget: CheckedTarget): number {
  const { now, kill } = session.host;
  const { host } = new URL(checkedTarget.target.baseUrl);
  const { profile } = factsOf(session, checkedTarget);
  return messagesThisMonth(activityFolder(session.stateFolder()), { profile, host }, now(), kill);
}

/** Prints that nothing really happens; not for reads and dry runs. */
function noteHarmless({ note }: Session, { target, simulated }: CheckedTarget, isMessage: boolean): void {
  const { host } = new URL(target.baseUrl);
  if (simulated) note('simulated', `simulated by the sandbox on this machine, ${host}; nothing is really sent`);
  else if (isMessage && target.mode === 'sandbox')
    note('sandbox-key', `with a sandbox key of ${host}, no message reaches a phone`);
}

function outcomeOfRun(counts: Pick<Counts, 'done' | 'failed'>, stop: ExitName | undefined): Result['outcome'] {
  if (stop === 'interrupted' || stop === 'terminated' || stop === 'hungUp') return 'interrupted';
  if (counts.failed === 0 && stop === undefined) return 'done';
  return counts.done > 0 ? 'partial' : 'failed';
}

/** A key of unknown mode counts as live. */
function isLive({ target: { mode } }: CheckedTarget): boolean {
  return mode !== 'sandbox';
}

function factsOf({ command }: Session, { caller, target, simulated }: CheckedTarget) {
  return {
    profile: caller.kind === 'local' ? 'local' : (target.profile ?? 'environment'),
    mode: target.mode,
    simulated,
    command,
  };
}

function writerOf(session: Session, { target }: CheckedTarget, message?: BodyOf<'sendTemplate'>): Writer {
  const { host, note } = session;
  const folder = activityFolder(session.stateFolder());
  let isNoted = false;
  const onFault: Writer['onFault'] = (error) => {
    const fault = error instanceof CliError ? error.message : `cannot use ${folder}: ${reasonOf(error)}`;
    if (!isNoted) note('activity', `bizmsg activity will not list this: ${fault}`);
    isNoted = true;
  };
  return { folder, hidden: { key: target.key, phone: message?.to }, process: host, onFault };
}

function reasonOf(error: unknown): string {
  const fault = fsError(error);
  if (!fault) throw error;
  return fault.reason;
}

/** Adds the next step to an error after which the message may have been sent. */
function withNextStep(error: unknown): unknown {
  if (!(error instanceof CliError) || error.done !== 'unknown') return error;
  const next = 'bizmsg activity --since 10m shows what was sent from here; --retry-unsure sends it again';
  return error.withHint(error.hint === undefined ? next : `${error.hint}\n${next}`);
}

/** The facts of a request for the activity log. */
interface RequestFacts extends Pick<Facts, 'host' | 'method' | 'endpoint' | 'recipient' | 'template'> {
  /** The message that it sends, from any command. */
  readonly message?: BodyOf<'sendTemplate'> | undefined;
}

export function factsIn({ method, url, body }: Pick<WireRequest, 'method' | 'url' | 'body'>): RequestFacts {
  const { host, pathname } = new URL(url);
  const value = jsonIn(body);
  const path = plainPath(pathname);
  const message = method === 'POST' && isSending(path) ? messageIn(value) : undefined;
  const to = message?.to ?? phoneIn(value);
  return {
    host,
    method,
    endpoint: shownPath(path),
    recipient: to && `+${masked(to.slice(1))}`,
    template: message?.template,
    message,
  };
}

/** Normalizes the spelling of a path, since a service may accept several. */
function plainPath(pathname: string): string {
  return posix.normalize(`/${percentDecoded(pathname).replaceAll('\\', '/')}`).replace(/(?<=.)\/$/, '');
}

function isSending(path: string): boolean {
  return path.toLowerCase().endsWith(endpoints.sendTemplate.path);
}

/** Masks all parts of a path that are not words: an id may be a phone, an address or a key. */
function shownPath(path: string): string {
  const isWord = (segment: string) =>
    /^(?:[a-z]+(?:[-_][a-z]+)*|v\d{1,2})$/i.test(segment) && redact(segment) === segment;
  return path
    .split('/')
    .map((segment) => (segment === '' || isWord(segment) ? segment : '*'))
    .join('/');
}

function messageIn(value: unknown): BodyOf<'sendTemplate'> | undefined {
  try {
    return endpoints.sendTemplate.body(value);
  } catch {
    return undefined;
  }
}

/** The recipient of a message, or the phone of a contact. */
function phoneIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  return [value['to'], value['phone']].find((one) => typeof one === 'string' && isPhone(one))?.toString();
}

function jsonIn(body: WireRequest['body']): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** The log outcome of an answered call. */
function resultOf(answer: unknown): Result {
  if (isRecord(answer) && answer['failure'] instanceof CliError) return resultOfError(answer['failure']);
  return { outcome: 'done', message_id: messageId(answer) };
}

/** The log outcome of a failed call. The message may repeat the request, so only the code is kept. */
function resultOfError(error: unknown): Result {
  if (!(error instanceof CliError)) return { outcome: 'unsure', code: 'bug' };
  const { done, exit, status, code } = error;
  const known = { status, code };
  if (done === 'unknown' || exit === 'unsure') return { outcome: 'unsure', ...known };
  return { outcome: status === undefined ? 'failed' : 'refused', ...known };
}

function messageId(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const { message_id: id, body } = answer;
  if (typeof id === 'string') return id;
  return Buffer.isBuffer(body) ? messageId(jsonIn(body)) : undefined;
}
