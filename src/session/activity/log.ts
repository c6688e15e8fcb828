import * as fs from 'node:fs';
import { join } from 'node:path';
import { configuration } from '../../base/errors.ts';
import { fsError, namesIn, openRegular, readRegular, createStateFolder } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import type { OnDamage } from '../../base/journal-lines.ts';
import { isProcessAlive, type Probe, processStart } from '../../base/liveness.ts';
import { redactTarget } from '../../base/redact.ts';
import type { Mode } from '../../contract/keys.ts';
import { isRecord } from '../../contract/readers.ts';

/** What is known of a call before it leaves. Neither the key, nor the whole recipient, nor a param is in it. */
export interface Facts {
  readonly profile: string;
  readonly mode: Mode | 'unknown';
  /** Only the sandbox on this machine hears it. */
  readonly simulated: boolean;
  readonly host: string;
  readonly command: string;
  readonly method: string;
  readonly endpoint: string;
  /** Masked. */
  readonly recipient?: string | undefined;
  readonly template?: string | undefined;
  /** Of a message with a live key: the same for the same message, and of no use without this machine's secret. */
  readonly digest?: string | undefined;
  /** Of an import or a batch, whose rows are in its own journal. */
  readonly run?: string | undefined;
}

/** Written before the request leaves. */
interface Intent extends Facts {
  readonly type: 'intent';
  readonly id: string;
  readonly at: number;
  readonly pid: number;
  readonly start?: string | undefined;
}

const outcomes = ['done', 'refused', 'unsure', 'failed', 'withdrawn'] as const;
/** `refused` by the service; `failed`: it never had it; `withdrawn`: by whoever was asked, so that nothing left. */
type Outcome = (typeof outcomes)[number];

export interface Came {
  readonly outcome: Outcome;
  readonly message_id?: string | undefined;
  readonly status?: number | undefined;
  /** Of the failure. */
  readonly code?: string | undefined;
  readonly counts?: Counts | undefined;
}

/** Of a run. */
interface Counts {
  readonly rows: number;
  readonly done: number;
  readonly failed: number;
  readonly unsure: number;
  readonly unsent: number;
}

/** Written after it. */
interface Ending extends Came {
  readonly type: 'ending';
  readonly id: string;
  readonly at: number;
  readonly digest?: string | undefined;
  /** The unsure sends of the same message of which whoever sent it again knew. */
  readonly forgives?: readonly string[] | undefined;
}

/** Undefined for a line that is not as it was written. */
function recordIn(line: string): Intent | Ending | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isIntent(value) || isEnding(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const texts = ['id', 'profile', 'mode', 'host', 'command', 'method', 'endpoint'];
const maybeTexts = ['start', 'recipient', 'template', 'digest', 'run', 'message_id', 'code'];

function isIntent(value: unknown): value is Intent {
  return (
    isRecord(value) &&
    value['type'] === 'intent' &&
    texts.every((name) => typeof value[name] === 'string') &&
    maybeTexts.every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
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
    maybeTexts.every((name) => ['string', 'undefined'].includes(typeof value[name])) &&
    isTime(value['at']) &&
    outcomes.some((one) => one === value['outcome']) &&
    ['number', 'undefined'].includes(typeof value['status']) &&
    (value['counts'] === undefined || isCounts(value['counts'])) &&
    (value['forgives'] === undefined || isTexts(value['forgives']))
  );
}

/** One that a date can have. */
function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Number.isNaN(new Date(Number(value)).getTime());
}

/** 0 and what is below mean groups of them. */
function isProcess(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isCounts(value: unknown): value is Counts {
  return (
    isRecord(value) && ['rows', 'done', 'failed', 'unsure', 'unsent'].every((name) => Number.isSafeInteger(value[name]))
  );
}

/** What no line of the log may hold. */
interface Hidden {
  readonly key: string;
  /** Of whom something is sent to, as a service may repeat it. */
  readonly phone?: string | undefined;
}

/** Those that come from outside; all others are words and numbers of our own. */
const foreign = new Set(['profile', 'host', 'endpoint', 'recipient', 'template', 'run', 'message_id', 'code']);
const longest = 200;

/** A record as it is written: goes through all of it, as the replacer of JSON.stringify. */
function written({ key, phone }: Hidden): (name: string, value: unknown) => unknown {
  return (name, value) => {
    if (typeof value !== 'string' || !foreign.has(name)) return value;
    const safe = redactTarget(value, [key]);
    return name === 'template' || name === 'message_id' ? withoutPhones(safe, phone).slice(0, longest) : safe;
  };
}

/** Digits of a phone: the country and the last four at most, in characters that every terminal has. */
export function masked(digits: string): string {
  if (digits.length < 7) return '***';
  const shown = digits.length < 11 ? 2 : 4;
  return `${digits.slice(0, shown)}***${digits.slice(-shown)}`;
}

/** Digits within an identifier may be its own: they are a phone where it is known, is marked as one, or is all there is. */
function withoutPhones(text: string, phone = ''): string {
  const digits = phone.replace(/^\+/, '');
  const known = digits.length < 7 ? text : text.replaceAll(digits, masked(digits));
  return known.replace(/\+\d[\d\s().-]{5,}\d|^\d[\d\s().-]{5,18}\d$/g, (found) => {
    return (found.startsWith('+') ? '+' : '') + masked(found.replace(/\D/g, ''));
  });
}

/** Beyond it the next file is begun. */
const largest = 4 * 1024 * 1024;
/** 64 MB: the last hundred thousand calls, at least. */
const mostFiles = 16;
const appending = fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT;

interface LogFile {
  readonly number: number;
  readonly path: string;
}

interface Appender {
  readonly path: string;
  /** Adds it in one go, so that lines of several processes never mix. */
  append(record: object): void;
  /** Has the disk take it. */
  sync(): void;
  close(): void;
}

export function activityFolder(stateFolder: string): string {
  return join(stateFolder, 'activity');
}

/** The newest first. */
function logFiles(folder: string): readonly LogFile[] {
  const numbers = namesIn(folder).flatMap((name) => /^([1-9]\d*)\.ndjson$/.exec(name)?.[1] ?? []);
  return numbers
    .map(Number)
    .sort((a, b) => b - a)
    .map((number) => fileAt(folder, number));
}

/** None of one that was removed since it was found. */
function bytesOf({ path }: Pick<LogFile, 'path'>): Buffer {
  try {
    return readRegular(path);
  } catch (error) {
    const fault = fsError(error);
    if (fault?.code === 'ENOENT') return Buffer.alloc(0);
    if (!fault) throw error;
    const hint = 'move it away: what it says of calls before is then not known';
    throw configuration('state-unreadable', `cannot read ${path}: ${fault.reason}`, hint, error);
  }
}

/** For any number of processes at once. A line that a full disk cut short does not spoil the one after it. */
function openAppender(folder: string, hidden: Hidden): Appender {
  const { path, fd } = openNewest(folder);
  const safe = written(hidden);
  return {
    path,
    append: (record) => {
      const bytes = Buffer.from(`${isWhole(fd) ? '' : '\n'}${JSON.stringify(record, safe)}\n`);
      let done = 0;
      // A disk that is nearly full takes a part, and says why when it is offered the rest.
      while (done < bytes.length) done += fs.writeSync(fd, bytes, done);
    },
    sync: () => fs.fdatasyncSync(fd),
    close: () => fs.closeSync(fd),
  };
}

function openNewest(folder: string): { readonly path: string; readonly fd: number } {
  const newest = logFiles(folder)[0] ?? fileAt(folder, 1);
  const fd = openAt(newest.path, folder);
  if (fs.fstatSync(fd).size < largest) return { path: newest.path, fd };
  fs.closeSync(fd);
  const next = fileAt(folder, newest.number + 1);
  const opened = openAt(next.path, folder);
  for (const { path } of logFiles(folder).slice(mostFiles)) fs.rmSync(path, { force: true });
  return { path: next.path, fd: opened };
}

function openAt(path: string, folder: string): number {
  try {
    return openRegular(path, appending);
  } catch (error) {
    if (fsError(error)?.code !== 'ENOENT') throw error;
    return openRegular(join(createStateFolder(folder), path.slice(folder.length)), appending);
  }
}

/** Whether the next line begins where one ends. */
function isWhole(fd: number): boolean {
  const { size } = fs.fstatSync(fd);
  const last = Buffer.alloc(1);
  return size === 0 || fs.readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === 0x0a;
}

function fileAt(folder: string, number: number): LogFile {
  return { number, path: join(folder, `${number}.ndjson`) };
}

/** A call that is about to leave, and what comes of it. */
export interface Entry {
  readonly intent: Intent;
  /** Has the disk take the intent: a machine that loses its power still knows of it. */
  sync(): void;
  end(came: Came, forgives?: readonly string[]): void;
}

export interface Writer {
  readonly folder: string;
  readonly hidden: Hidden;
  readonly process: Pick<Host, 'pid' | 'now' | 'random'>;
  /** Told what keeps it from being written or read; the call goes on. */
  readonly onFault: (error: unknown, at: FaultAt) => void;
}

/** The intent, what came of it, or what was sent before. */
type FaultAt = 'intent' | 'ending' | 'earlier';

/** Writes that something is about to leave. When nothing comes after it, nobody knows what came of it. */
export function begin({ folder, hidden, process: own, onFault }: Writer, facts: Facts): Entry {
  const { pid } = own;
  const at = own.now();
  const id = `${at.toString(36)}-${pid.toString(36)}-${Math.floor(own.random() * 36 ** 6).toString(36)}`;
  const intent: Intent = { type: 'intent', id, at, pid, start: processStart(pid), ...facts };
  let log: Appender | undefined;
  const attempt = (at: FaultAt, act: () => void) => {
    try {
      act();
    } catch (error) {
      log = closed(log);
      onFault(error, at);
    }
  };
  attempt('intent', () => {
    log = openAppender(folder, hidden);
    log.append(intent);
  });
  return {
    intent,
    sync: () => attempt('intent', () => log?.sync()),
    end: (came, forgives) => {
      const ending: Ending = { type: 'ending', id, at: own.now(), digest: facts.digest, ...came, forgives };
      attempt('ending', () => log?.append(ending));
      log = closed(log);
    },
  };
}

function closed(log: Appender | undefined): undefined {
  log?.close();
}

type State = Outcome | 'under way';

/** What became of a call. One whose process died before it could say so may have been done. */
function stateOf({ at, pid, start }: Intent, ending: Ending | undefined, kill: Probe): State {
  if (ending) return ending.outcome;
  return isProcessAlive(pid, start, kill, () => Date.now() - at) ? 'under way' : 'unsure';
}

/** A call, and what came of it. */
export interface Past {
  readonly intent: Intent;
  readonly ending: Ending | undefined;
  readonly state: State;
}

/** What left this machine, the newest first. No file is read before it is asked for. */
export function* newestFirst(folder: string, kill: Probe, onDamage: OnDamage): Generator<Past> {
  for (const { path } of logFiles(folder)) {
    const { intents, endings } = contentOf(path, onDamage);
    for (const intent of intents.toReversed().sort((a, b) => b.at - a.at)) {
      const ending = endings.get(intent.id);
      const state = stateOf(intent, ending, kill);
      if (state !== 'withdrawn') yield { intent, ending, state };
    }
  }
}

/** A call and what came of it are in one file. */
function contentOf(path: string, onDamage: OnDamage) {
  const intents: Intent[] = [];
  const endings = new Map<string, Ending>();
  const lines = bytesOf({ path }).toString().split('\n');
  // What has no end is being written.
  for (const line of lines.slice(0, -1)) {
    if (line === '') continue;
    const record = recordIn(line);
    if (!record) onDamage({ path, text: `${path} is damaged: a line has a wrong checksum` });
    else if (record.type === 'intent') intents.push(record);
    else endings.set(record.id, record);
  }
  return { intents, endings };
}
