import { CliError, type Done, type ErrorCode, type ExitName } from '../base/errors.ts';
import { tooManyFiles, tooManyFilesCode } from '../base/files.ts';
import { parseJson } from '../base/json.ts';
import { isRecord } from '../contract/readers.ts';
import { type ErrorStatus, statuses } from '../contract/statuses.ts';
import { isLoopback } from '../base/loopback.ts';
import type { Conceal } from './trace.ts';
import { compression, type WireAnswer } from './transport.ts';
import type { WireFailure, WireKind } from './wire.ts';

/** What a trouble comes to: one error with its exit code, its hint, and whether the call was carried out. */
export function failureOf(trouble: Trouble, occasion: Occasion): CliError {
  const failure = anyFailure(trouble, occasion);
  return occasion.local ? withLocalHint(failure) : failure;
}

function anyFailure(trouble: Trouble, occasion: Occasion): CliError {
  if (trouble.kind === 'refused') return refused(trouble, occasion);
  if (trouble.kind === 'redirected') return redirected(trouble.answer, trouble.why, occasion);
  if (trouble.kind === 'unreadable') return unreadable(trouble.answer, trouble.why, occasion);
  return networkFailure(trouble, occasion);
}

interface Verdict {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly hint?: string;
}

// §5.3, §5.4, §5.7, §8.1
const known: Readonly<Record<number, Verdict>> = {
  401: {
    exit: 'keyRefused',
    code: 'unauthorized',
    hint: 'keys are made in the account settings, under API Keys, after the business number is verified; a revoked one is refused',
  },
  403: {
    exit: 'keyRefused',
    code: 'forbidden',
    hint: 'the plan does not include this endpoint, or perhaps the scope of the key does not',
  },
  404: { exit: 'notFound', code: 'not-found' },
  429: {
    exit: 'rateLimited',
    code: 'rate-limited',
    // Which of them the document does not show.
    hint: 'the requests a minute or the messages a month of the plan are used up',
  },
};

function verdict(status: number, changes: boolean): Verdict {
  const sure = known[status];
  if (sure) return sure;
  if (status >= 400 && status < 500) return { exit: 'rejected', code: 'rejected' };
  const code = status >= 500 ? 'service-fault' : 'unexpected-status';
  return changes
    ? { exit: 'unsure', code, hint: `${unsureHint}; ${faultHint}` }
    : { exit: 'serviceFault', code, hint: faultHint };
}

function refused(
  { answer, asked }: Extract<Trouble, { readonly kind: 'refused' }>,
  { method, conceal }: Occasion,
): CliError {
  const { exit, code, hint } = verdict(answer.status, isChange(method));
  const { body, detail, unread } = readBody(answer, conceal);
  const wait = asked === undefined ? '' : `, and asks to wait ${minutes(asked)}`;
  const message = `the service answered ${named(answer.status)}${wait}${unread}${detail === undefined ? '' : `: ${detail}`}`;
  const done = isChange(method) ? ({ done: exit === 'unsure' ? 'unknown' : 'no' } as const) : {};
  return new CliError(exit, code, message, { hint, status: answer.status, body, ...done });
}

function readBody(answer: WireAnswer, conceal: Occasion['conceal']) {
  const why = answer.body.length > 0 ? compression(answer) : undefined;
  if (why !== undefined) return { body: undefined, detail: undefined, unread: `; why cannot be read: ${why}` };
  return { ...readErrorBody(answer.body, conceal), unread: '' };
}

function minutes(milliseconds: number): string {
  const count = Math.ceil(milliseconds / 60_000);
  return count < 120 ? `${count} minutes` : `${Math.ceil(count / 60)} hours`;
}

function named(status: number): string {
  return isKnown(status) ? `${status} ${statuses[status].name}` : String(status);
}

function isKnown(status: number): status is ErrorStatus {
  return status in statuses;
}

function unreadable(answer: WireAnswer, why: string, { method, conceal }: Occasion): CliError {
  const message = `the service answered ${answer.status}, but the answer cannot be read: ${why}`;
  const { body } = readBody(answer, conceal);
  const details = { status: answer.status, body };
  return isChange(method)
    ? new CliError('unsure', 'unreadable-answer', message, { ...details, hint: unsureHint, done: 'unknown' })
    : new CliError('serviceFault', 'unreadable-answer', message, {
        ...details,
        hint: `check the address; ${faultHint}`,
      });
}

function redirected(answer: WireAnswer, why: string, { method, conceal }: Occasion): CliError {
  // 307 and 308 ask for the same request elsewhere; the others may come after the deed.
  const done = answer.status === 307 || answer.status === 308 ? ('no' as const) : ('unknown' as const);
  return new CliError('unsafe', 'redirect-refused', conceal.text(`the service answered ${answer.status}: ${why}`), {
    hint: 'the key goes to no other address; if the service has moved, change the base URL',
    status: answer.status,
    body: readBody(answer, conceal).body,
    ...(isChange(method) && { done }),
  });
}

type NetworkTrouble = Extract<Trouble, { readonly kind: 'broken' | 'late' | 'interrupted' }>;

interface Story {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Where a request that changes nothing ends; `network` if not said. */
  readonly exit?: ExitName;
}

/** An exchange that came to no answer. */
function networkFailure(trouble: NetworkTrouble, { method, url, conceal }: Occasion): CliError {
  const { code, message, hint, exit = 'network' } = story(trouble, new URL(url));
  const sent = trouble.kind === 'broken' ? trouble.failure.sent : trouble.sent;
  const done: Done = sent ? 'unknown' : 'no';
  const cause = trouble.kind === 'broken' ? trouble.failure : undefined;
  const text = conceal.text(message);
  if (!isChange(method)) return new CliError(exit, code, text, { hint, cause });
  if (trouble.kind === 'interrupted')
    return new CliError(exit, code, text, { hint: sent ? unsureHint : undefined, done });
  if (sent) return new CliError('unsure', code, text, { hint: unsureHint, done, cause });
  // Too many open files is a matter of this machine.
  return new CliError(exit === 'configuration' ? exit : 'network', code, text, { hint, done, cause });
}

function story(trouble: NetworkTrouble, url: URL): Story {
  if (trouble.kind === 'broken') return broken(trouble.failure, url);
  if (trouble.kind === 'late') return late(trouble.waited, trouble.sent, url);
  const message = trouble.sent ? 'interrupted before the answer came' : 'interrupted before the request left';
  return { exit: 'interrupted', code: 'interrupted', message };
}

function late(waited: number, sent: boolean, url: URL): Story {
  const what = sent ? 'no answer' : 'no connection';
  return { code: 'timeout', message: `${what} from ${url.host} within ${waited / 1_000} s`, hint: 'see --timeout' };
}

function broken({ kind, message, cause }: WireFailure, url: URL): Story {
  const tell: Readonly<Record<WireKind, () => Story>> = {
    connect: () => ({
      code: 'unreachable',
      message: `cannot connect to ${url.host}: ${message}`,
      hint: isLoopback(url.hostname)
        ? 'is the sandbox running? start it with "bizmsg sandbox start"'
        : 'check the address and the network',
    }),
    address: () => ({
      code: 'unknown-host',
      message: `there is no host "${url.hostname}"`,
      hint: 'check the base URL and the network',
    }),
    tls: () => ({
      code: 'tls',
      message: `no secure connection to ${url.host}: ${message}`,
      hint: 'if an authority of your own signs its certificate, name it with --ca-file',
    }),
    proxy: () => ({
      code: 'proxy',
      message: `the proxy opens no way to ${url.host}: ${message}`,
      hint: 'look at HTTPS_PROXY and ALL_PROXY; NO_PROXY lists what needs none',
    }),
    files: () => ({
      exit: 'configuration',
      code: tooManyFilesCode,
      message: `cannot connect to ${url.host}: ${message}`,
      hint: tooManyFiles(cause)?.hint,
    }),
    aborted: () => ({ code: 'connection-lost', message: `the connection to ${url.host} was given up` }),
    reset: () => ({ code: 'connection-lost', message: `the connection to ${url.host} broke: ${message}` }),
    garbled: () => ({
      exit: 'serviceFault',
      code: 'unreadable-answer',
      message: `the answer of ${url.host} is not HTTP: ${message}`,
      hint: `check the address; ${faultHint}`,
    }),
    'too-large': () => ({ exit: 'serviceFault', code: 'answer-too-large', message, hint: faultHint }),
  };
  return tell[kind]();
}

/** The same failure of a sandbox on this machine, which can be asked more, and told more, than the service. */
function withLocalHint(failure: CliError): CliError {
  const { exit, code, message, status, body, done, cause } = failure;
  return new CliError(exit, code, message, { hint: hintOf(failure), status, body, done, cause });
}

function hintOf({ exit, code, hint }: CliError): string | undefined {
  if (code === 'unauthorized')
    return `${hint}\nin this sandbox bizmsg sandbox keys list shows them, and bizmsg sandbox keys go-live makes live ones valid`;
  return exit === 'unsure' ? `${unsureHint}; bizmsg sandbox requests shows what the sandbox did` : hint;
}

/** All that can become of an attempt, but for success. */
export type Trouble =
  /** `asked` is a wait of so many milliseconds that is not made, since it is too long. */
  | { readonly kind: 'refused'; readonly answer: WireAnswer; readonly asked?: number | undefined }
  | { readonly kind: 'redirected'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'unreadable'; readonly answer: WireAnswer; readonly why: string }
  | { readonly kind: 'broken'; readonly failure: WireFailure }
  | { readonly kind: 'late'; readonly sent: boolean; readonly waited: number }
  | { readonly kind: 'interrupted'; readonly sent: boolean };

export function isChange(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** What a trouble befell. */
interface Occasion {
  readonly method: string;
  readonly url: string;
  readonly conceal: Conceal;
  /** What was called is a sandbox on this machine. */
  readonly local?: boolean | undefined;
}

const unsureHint = 'it may have been done: find out before you repeat it';
// §7
const faultHint = 'if it goes on, report it to the support of the service';

interface ErrorBody {
  /** The JSON of the answer, or the beginning of its text; undefined when it is empty. */
  readonly body: unknown;
  /** What it says to a person, if it says so in one of the usual places. */
  readonly detail: string | undefined;
}

// §7: the shape of an error's body is not shown, so every part of this is a guess that may fail.
function readErrorBody(bytes: Buffer, conceal: Conceal): ErrorBody {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { body: undefined, detail: undefined };
  const json = text.length > 65_536 ? undefined : parsed(text);
  if (json === undefined) return { body: excerpt(text, conceal), detail: undefined };
  const body = conceal.value(json);
  return { body, detail: detailOf(body) };
}

/** Concealed before it is cut: the half of a key is a secret too. */
function excerpt(text: string, conceal: Conceal): string {
  const safe = conceal.text(text.slice(0, 65_536));
  return safe.length > 4_096 ? `${safe.slice(0, 4_096)}…` : safe;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function detailOf(body: unknown): string | undefined {
  if (!isRecord(body)) return undefined;
  const nested = isRecord(body['error']) ? body['error'] : {};
  const places = [body['detail'], body['message'], nested['message'], nested['detail'], body['error'], body['title']];
  return places
    .filter((text) => typeof text === 'string')
    .find((text) => text.length <= 200 && /^[^\p{Cc}]+$/u.test(text));
}
