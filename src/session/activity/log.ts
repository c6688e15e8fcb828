import * as fs from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { fsError, namesIn, openRegular, readRegular, createStateFolder } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { isProcessAlive, type Probe, processStart } from '../../base/liveness.ts';
import { redactTarget } from '../../base/redact.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { Mode } from '../../contract/keys.ts';
import { isRecord } from '../../contract/readers.ts';

/** The facts of a call before it is sent, without the key, the whole recipient and params. */
export interface Facts {
  readonly profile: string;
  readonly mode: Mode | 'unknown';
  /** Whether it goes to the sandbox on this machine. */
  readonly simulated: boolean;
  readonly host: string;
  readonly command: string;
  readonly method: string;
  readonly endpoint: string;
  /** Masked. */
  readonly recipient?: string | undefined;
  readonly template?: string | undefined;
  /** The id of an import or a batch. */
  readonly run?: string | undefined;
}

/** The record written before a request is sent. */
interface Intent extends Facts {
  readonly type: 'intent';
  readonly id: string;
  readonly at: number;
  readonly pid: number;
  readonly start?: string | undefined;
}

const outcomes = ['done', 'partial', 'refused', 'unsure', 'failed', 'interrupted'] as const;
/** `partial`: some rows of a run failed; `refused` by the service; `failed` before it reached the service. */
type Outcome = (typeof outcomes)[number];

export interface Result {
  readonly outcome: Outcome;
  readonly message_id?: string | undefined;
  readonly status?: number | undefined;
  /** The code of the failure. */
  readonly code?: string | undefined;
  readonly counts?: Counts | undefined;
}

/** The rows of a run. */
export interface Counts {
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
  readonly unsent: number;
}

/** The record written after the call. */
interface Ending extends Result {
  readonly type: 'ending';
  readonly id: string;
  readonly at: number;
}

/** Parses a line; undefined if it is damaged. */
function recordIn(line: string): Intent | Ending | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isIntent(value) || isEnding(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const texts = ['id', 'profile', 'mode', 'host', 'command', 'method', 'endpoint'];
const optionalTexts = ['start', 'recipient', 'template', 'run', 'message_id', 'code'];

function isIntent(value: unknown): value is Intent {
  return (
    isRecord(value) &&
    value['type'] === 'intent' &&
    texts.every((name) => typeof value[name] === 'string') &&
    optionalTexts.every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
    isTime(value['at']) &&
    isProcess(value['pid']) &&
    typeof value['simulated'] === 'boolean'
  );
}

function isEnding(value: unknown): value is Ending {
  return (
    isRecord(value) &&
    value['type'] === 'ending' &&
    typeof value['id'] === 'string' &&
    optionalTexts.every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
    isTime(value['at']) &&
    outcomes.some((one) => one === value['outcome']) &&
    ['number', 'undefined'].includes(typeof value['status']) &&
    (value['counts'] === undefined || isCounts(value['counts']))
  );
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Number.isNaN(new Date(Number(value)).getTime());
}

/** 0 and negative ids are process groups. */
function isProcess(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isCounts(value: unknown): value is Counts {
  return (
    isRecord(value) && ['rows', 'done', 'failed', 'unsure', 'unsent'].every((name) => Number.isSafeInteger(value[name]))
  );
}

/** Texts that must not be logged. */
interface Hidden {
  readonly key: string;
  /** The recipient, which a service may repeat in its answer. */
  readonly phone?: string | undefined;
}

/** Fields with text from users or the service. */
const untrustedFields = new Set(['profile', 'host', 'endpoint', 'recipient', 'template', 'run', 'message_id', 'code']);
const maxLength = 200;

/** A replacer for JSON.stringify that redacts fields. */
function redactor({ key, phone }: Hidden): (name: string, value: unknown) => unknown {
  return (name, value) => {
    if (typeof value !== 'string' || !untrustedFields.has(name)) return value;
    const safe = redactTarget(value, [key]);
    return name === 'template' || name === 'message_id' ? withoutPhones(safe, phone).slice(0, maxLength) : safe;
  };
}

/** Keeps the first and last digits of a phone, at most four each. */
export function masked(digits: string): string {
  if (digits.length < 7) return '***';
  const shown = digits.length < 11 ? 2 : 4;
  return `${digits.slice(0, shown)}***${digits.slice(-shown)}`;
}

/** Masks the known phone, texts that begin with +, and texts that are only digits; other digits may be part of an id. */
function withoutPhones(text: string, phone = ''): string {
  const digits = phone.replace(/^\+/, '');
  const known = digits.length < 7 ? text : text.replaceAll(digits, masked(digits));
  return known.replace(/\+\d[\d\s().-]{5,}\d|^\d[\d\s().-]{5,18}\d$/g, (found) => {
    return (found.startsWith('+') ? '+' : '') + masked(found.replace(/\D/g, ''));
  });
}

/** Bytes after which the next file starts. */
const maxFileSize = 4 * 1024 * 1024;
/** 64 MB hold at least 100,000 calls. */
const maxFiles = 16;
const appending = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT;

interface LogFile {
  readonly number: number;
  readonly path: string;
}

interface Appender {
  /** Appends in one write, so that lines of several processes do not mix. */
  append(record: object): void;
  close(): void;
}

export function activityFolder(stateFolder: string): string {
  return join(stateFolder, 'activity');
}

/** The log files, the newest first. */
function logFiles(folder: string): readonly LogFile[] {
  const numbers = namesIn(folder).flatMap((name) => /^([1-9]\d*)\.ndjson$/.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => b - a)
    .map((number) => fileAt(folder, number));
}

/** The content of a file; empty if it was removed meanwhile. */
function bytesOf(path: string): Buffer {
  try {
    return readRegular(path);
  } catch (error) {
    const fault = fsError(error);
    if (fault?.code === 'ENOENT') return Buffer.alloc(0);
    if (!fault) throw error;
    const hint = 'move it away; bizmsg then no longer lists the calls in it';
    throw configuration('state-unreadable', `cannot read ${path}: ${fault.reason}`, hint, error);
  }
}

/** Several processes may append. A line that a full disk cut off does not damage the next one. */
function openAppender(folder: string, hidden: Hidden): Appender {
  const fd = openNewest(folder);
  const safe = redactor(hidden);
  return {
    append: (record) => {
      const bytes = Buffer.from(`${endsWithNewline(fd) ? '' : '\n'}${JSON.stringify(record, safe)}\n`);
      let done = 0;
      // A nearly full disk accepts a part; the next write reports the error.
      while (done < bytes.length) done += fs.writeSync(fd, bytes, done);
    },
    close: () => fs.closeSync(fd),
  };
}

function openNewest(folder: string): number {
  const newest = logFiles(folder)[0] ?? fileAt(folder, 1);
  const fd = openAt(newest.path, folder);
  if (fs.fstatSync(fd).size < maxFileSize) return fd;
  fs.closeSync(fd);
  const next = openAt(fileAt(folder, newest.number + 1).path, folder);
  for (const { path } of logFiles(folder).slice(maxFiles)) fs.rmSync(path, { force: true });
  return next;
}

function openAt(path: string, folder: string): number {
  try {
    return openRegular(path, appending);
  } catch (error) {
    if (fsError(error)?.code !== 'ENOENT') throw error;
    return openRegular(join(createStateFolder(folder), path.slice(folder.length)), appending);
  }
}

/** Whether the file ends with a complete line. */
function endsWithNewline(fd: number): boolean {
  const { size } = fs.fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || fs.readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}

function fileAt(folder: string, number: number): LogFile {
  return { number, path: join(folder, `${number}.ndjson`) };
}

/** A logged call. */
export interface Entry {
  end(result: Result): void;
}

export interface Writer {
  readonly folder: string;
  readonly hidden: Hidden;
  readonly process: Pick<Host, 'pid' | 'now' | 'random'>;
  /** Called if the log cannot be written; the call continues. */
  readonly onFault: (error: unknown) => void;
}

/** Logs that a call starts. Without an ending, its outcome is unknown. */
export function begin({ folder, hidden, process: own, onFault }: Writer, facts: Facts): Entry {
  const { pid } = own;
  const at = own.now();
  const id = `${at.toString(36)}-${pid.toString(36)}-${Math.floor(own.random() * 36 ** 6).toString(36)}`;
  const intent: Intent = { type: 'intent', id, at, pid, start: processStart(pid), ...facts };
  let log: Appender | undefined;
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      close();
      onFault(error);
    }
  };
  attempt(() => {
    log = openAppender(folder, hidden);
    log.append(intent);
  });
  return {
    end: (result) => {
      const ending: Ending = { type: 'ending', id, at: own.now(), ...result };
      attempt(() => log?.append(ending));
      close();
    },
  };

  function close(): void {
    log?.close();
    log = undefined;
  }
}

type State = Outcome | 'under way';

/** The state of a call. If its process died before it ended, the call may have been done. */
function stateOf({ at, pid, start }: Intent, ending: Ending | undefined, kill: Probe): State {
  if (ending) return ending.outcome;
  return isProcessAlive(pid, start, kill, () => Date.now() - at) ? 'under way' : 'unsure';
}

/** A logged call and its outcome. */
export interface LoggedCall {
  readonly intent: Intent;
  readonly ending: Ending | undefined;
  readonly state: State;
}

/** The logged calls, the newest first. Reads each file on demand. */
export function* newestFirst(folder: string, kill: Probe, onDamage: OnDamage): Generator<LoggedCall> {
  for (const { path } of logFiles(folder)) {
    const { intents, endings } = contentOf(path, onDamage);
    for (const intent of intents.toReversed().sort((a, b) => b.at - a.at)) {
      const ending = endings.get(intent.id);
      yield { intent, ending, state: stateOf(intent, ending, kill) };
    }
  }
}

/**
 * The live messages that were sent from this machine since the month began, in UTC, with one profile. It is a lower
 * bound: a killed run has not logged how many it sent, and other machines have logs of their own.
 */
export function messagesThisMonth(
  folder: string,
  { profile, host }: Pick<Facts, 'profile' | 'host'>,
  now: number,
  kill: Probe,
): number {
  const today = new Date(now);
  const begin = Date.UTC(today.getUTCFullYear(), today.getUTCMonth());
  let count = 0;
  for (const call of newestFirst(folder, kill, () => {})) {
    const { intent } = call;
    if (intent.at < begin) break;
    if (intent.profile === profile && intent.host === host && intent.mode !== 'sandbox') count += messagesOf(call);
  }
  return count;
}

function messagesOf({ intent, ending, state }: LoggedCall): number {
  if (!intent.endpoint.endsWith(endpoints.sendTemplate.path)) return 0;
  if (intent.run !== undefined) return ending?.counts?.done ?? 0;
  return state === 'done' ? 1 : 0;
}

/** Reads a file; the intent and the ending of a call are in the same one. */
function contentOf(path: string, onDamage: OnDamage) {
  const intents: Intent[] = [];
  const endings = new Map<string, Ending>();
  const lines = bytesOf(path).toString().split('\n');
  // A last line without a line feed is still being written.
  for (const line of lines.slice(0, -1)) {
    if (line === '') continue;
    const record = recordIn(line);
    if (!record) onDamage({ path, text: `${path} is damaged: a line cannot be read` });
    else if (record.type === 'intent') intents.push(record);
    else endings.set(record.id, record);
  }
  return { intents, endings };
}
