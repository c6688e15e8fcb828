import { posix } from 'node:path';
import { CliError, type ExitName } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import { percentDecoded, redact } from '../base/redact.ts';
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
import type { CheckedTarget, RecordRunEnd, RunStarted, Session } from './session.ts';

/** The log entry of one call, which exists once the request has left. */
interface CallRecord {
  /** The message that the call sends. */
  readonly message: BodyOf<'sendTemplate'> | undefined;
  /** The request is about to leave; repeated before each retry. */
  begin(): void;
  answered(answer: unknown): void;
  failed(error: unknown): void;
}

/** Logs single calls that change something at the service. */
export function createRecorder(session: Session, checkedTarget: CheckedTarget): (request: WireRequest) => CallRecord {
  let isNoted = false;
  return (request) => {
    const { message, ...subject } = factsIn(request);
    const writer = writerOf(session, checkedTarget, message);
    let entry: Entry | undefined;
    return {
      message,
      begin() {
        if (!isNoted) noteHarmless(session, checkedTarget, message !== undefined);
        isNoted = true;
        entry ??= begin(writer, { ...factsOf(session, checkedTarget), ...subject });
      },
      answered: (answer) => entry?.end(resultOf(answer)),
      failed: (error) => entry?.end(resultOfError(error)),
    };
  };
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
