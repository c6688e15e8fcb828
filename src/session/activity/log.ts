import type { Mode } from '../contract/keys.ts';
import { isRecord } from '../contract/readers.ts';

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
export interface Intent extends Facts {
  readonly type: 'intent';
  readonly id: string;
  readonly at: number;
  readonly pid: number;
  readonly start?: string | undefined;
}

const outcomes = ['done', 'refused', 'unsure', 'failed', 'withdrawn'] as const;
/** `refused` by the service; `failed`: it never had it; `withdrawn`: by whoever was asked, so that nothing left. */
export type Outcome = (typeof outcomes)[number];

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
export interface Ending extends Came {
  readonly type: 'ending';
  readonly id: string;
  readonly at: number;
  readonly digest?: string | undefined;
  /** The unsure sends of the same message of which whoever sent it again knew. */
  readonly forgives?: readonly string[] | undefined;
}

/** Undefined for a line that is not as it was written. */
export function recordIn(line: string): Intent | Ending | undefined {
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
