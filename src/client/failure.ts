import { CliError, type Done, type ErrorCode, type ExitName } from '../base/errors.ts';
import { tooManyFiles, tooManyFilesCode } from '../base/files.ts';
import { parseJson } from '../base/json.ts';
import { errorDetail, type ErrorStatus, statuses } from '../contract/statuses.ts';
import type { Redactor } from '../base/redact.ts';
import { isLoopback } from './address.ts';
import {
  type AttemptFailure,
  compression,
  isMutation,
  proxyHint,
  type WireAnswer,
  type WireFailure,
  type WireFailureKind,
} from './wire.ts';

interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly redactor: Redactor;
  /** True if it went to a local sandbox. */
  readonly local?: boolean | undefined;
}

/** Converts a failure to an error with an exit code, a hint, and whether the call was processed. */
export function errorFor(failure: AttemptFailure, request: FailedRequest): CliError {
  const error = errorOf(failure, request);
  return request.local ? error.withHint(localHint(error)) : error;
}

function errorOf(failure: AttemptFailure, request: FailedRequest): CliError {
  if (failure.kind === 'refused') return refused(failure, request);
  if (failure.kind === 'redirected') return redirected(failure.answer, failure.why, request);
  if (failure.kind === 'unreadable') return unreadable(failure.answer, failure.why, request);
  return networkError(failure, request);
}

interface ErrorKind {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly hint?: string;
}

// §5.3, §5.4, §5.7, §8.1
const known: Readonly<Record<number, ErrorKind>> = {
  401: {
    exit: 'keyRefused',
    code: 'unauthorized',
    hint: 'create keys in the account settings, under API Keys, after verifying the business number; revoked keys are rejected',
  },
  403: {
    exit: 'keyRefused',
    code: 'forbidden',
    hint: "your plan or this key's scope does not allow this endpoint",
  },
  404: { exit: 'notFound', code: 'not-found' },
  429: {
    exit: 'rateLimited',
    code: 'rate-limited',
    // The document does not show how to distinguish them.
    hint: "the plan's rate limit or monthly quota has been reached",
  },
};

function errorKind(status: number, mutates: boolean): ErrorKind {
  const kind = known[status];
  if (kind) return kind;
  // A 408 may have crossed the request, and a 409 may mean that the same one is being processed.
  const mayBeProcessed = (status === 408 || status === 409) && mutates;
  if (status >= 400 && status < 500 && !mayBeProcessed) return { exit: 'rejected', code: 'rejected' };
  const code = status >= 500 ? 'service-fault' : 'unexpected-status';
  return mutates
    ? { exit: 'unsure', code, hint: `${unsureHint}; ${faultHint}` }
    : { exit: 'serviceFault', code, hint: faultHint };
}

function refused(
  { answer, excessiveWait }: Extract<AttemptFailure, { readonly kind: 'refused' }>,
  { method, redactor }: FailedRequest,
): CliError {
  const { exit, code, hint } = errorKind(answer.status, isMutation(method));
  const { body, detail, unread } = readBody(answer, redactor);
  const wait = excessiveWait === undefined ? '' : `, and asks to wait ${durationText(excessiveWait)}`;
  const message = `the service answered ${statusName(answer.status)}${wait}${unread}${detail === undefined ? '' : `: ${detail}`}`;
  const done = isMutation(method) ? ({ done: exit === 'unsure' ? 'unknown' : 'no' } as const) : {};
  return new CliError(exit, code, message, { hint, status: answer.status, body, ...done });
}

function readBody(answer: WireAnswer, redactor: FailedRequest['redactor']) {
  const why = answer.body.length > 0 ? compression(answer) : undefined;
  if (why !== undefined) return { body: undefined, detail: undefined, unread: `; the reason cannot be read: ${why}` };
  return { ...readErrorBody(answer.body, redactor), unread: '' };
}

function durationText(milliseconds: number): string {
  const count = Math.ceil(milliseconds / 60_000);
  return count < 120 ? `${count} minutes` : `${Math.ceil(count / 60)} hours`;
}

function statusName(status: number): string {
  return isKnown(status) ? `${status} ${statuses[status].name}` : String(status);
}

function isKnown(status: number): status is ErrorStatus {
  return status in statuses;
}

function unreadable(answer: WireAnswer, why: string, { method, redactor }: FailedRequest): CliError {
  const message = `the service answered ${answer.status}, but the answer cannot be read: ${why}`;
  const { body } = readBody(answer, redactor);
  const details = { status: answer.status, body };
  return isMutation(method)
    ? new CliError('unsure', 'unreadable-answer', message, { ...details, hint: unsureHint, done: 'unknown' })
    : new CliError('serviceFault', 'unreadable-answer', message, {
        ...details,
        hint: `check the address; ${faultHint}`,
      });
}

function redirected(answer: WireAnswer, why: string, { method, redactor }: FailedRequest): CliError {
  // 307 and 308 repeat the request elsewhere; the others may follow a request that was processed.
  const maybeDone = isMutation(method) && answer.status !== 307 && answer.status !== 308;
  return new CliError('unsafe', 'redirect-refused', redactor.text(`the service answered ${answer.status}: ${why}`), {
    hint: maybeDone ? `${unsureHint}; ${movedHint}` : movedHint,
    status: answer.status,
    body: readBody(answer, redactor).body,
    ...(isMutation(method) && { done: maybeDone ? ('unknown' as const) : ('no' as const) }),
  });
}

type NetworkFailure = Extract<AttemptFailure, { readonly kind: 'broken' | 'late' | 'interrupted' }>;

interface Explanation {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Exit code if the request is not a mutation. Default: `network`. */
  readonly exit?: ExitName;
}

/** The error for a request without a response. */
function networkError(failure: NetworkFailure, { method, url, redactor }: FailedRequest): CliError {
  const { code, message, hint, exit = 'network' } = explain(failure, new URL(url));
  const sent = failure.kind === 'broken' ? failure.failure.sent : failure.sent;
  const done: Done = sent ? 'unknown' : 'no';
  const cause = failure.kind === 'broken' ? failure.failure : undefined;
  const text = redactor.text(message);
  if (!isMutation(method)) return new CliError(exit, code, text, { hint, cause });
  if (failure.kind === 'interrupted')
    return new CliError(exit, code, text, { hint: sent ? unsureHint : undefined, done });
  if (sent) return new CliError('unsure', code, text, { hint: unsureHint, done, cause });
  // Too many open files is a problem of this machine, not of the network.
  return new CliError(exit === 'configuration' ? exit : 'network', code, text, { hint, done, cause });
}

function explain(failure: NetworkFailure, url: URL): Explanation {
  if (failure.kind === 'broken') return broken(failure.failure, url);
  if (failure.kind === 'late') return late(failure.waited, failure.sent, url);
  const message = failure.sent ? 'interrupted before the answer came' : 'interrupted before the request was sent';
  return { exit: 'interrupted', code: 'interrupted', message };
}

function late(waited: number, sent: boolean, url: URL): Explanation {
  const what = sent ? 'no answer' : 'no connection';
  return { code: 'timeout', message: `${what} from ${url.host} within ${waited / 1_000} s`, hint: 'see --timeout' };
}

function broken({ kind, message, cause }: WireFailure, url: URL): Explanation {
  const explanations: Readonly<Record<WireFailureKind, () => Explanation>> = {
    connect: () => ({
      code: 'unreachable',
      message: `cannot connect to ${url.host}: ${message}`,
      hint: isLoopback(url.hostname)
        ? 'is a server running there? bizmsg sandbox start starts a sandbox'
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
      hint: 'if your own authority signed its certificate, pass that with --ca-file',
    }),
    proxy: () => ({
      code: 'proxy',
      message: `the proxy does not connect to ${url.host}: ${message}`,
      hint: proxyHint,
    }),
    files: () => ({
      exit: 'configuration',
      code: tooManyFilesCode,
      message: `cannot connect to ${url.host}: ${message}`,
      hint: tooManyFiles(cause)?.hint,
    }),
    aborted: () => ({ code: 'connection-lost', message: `the connection to ${url.host} was aborted` }),
    reset: () => ({ code: 'connection-lost', message: `the connection to ${url.host} broke: ${message}` }),
    garbled: () => ({
      exit: 'serviceFault',
      code: 'unreadable-answer',
      message: `the answer of ${url.host} is not HTTP: ${message}`,
      hint: `check the address; ${faultHint}`,
    }),
    'too-large': () => ({ exit: 'serviceFault', code: 'answer-too-large', message, hint: faultHint }),
  };
  return explanations[kind]();
}

/** Replaces hints by those that only help with a local sandbox. */
function localHint({ exit, code, hint }: CliError): string | undefined {
  if (code === 'unauthorized')
    return '"bizmsg sandbox keys list" shows the keys of this sandbox, and "bizmsg sandbox keys go-live" makes live keys valid';
  return exit === 'unsure' ? `${unsureHint}; bizmsg sandbox requests shows what the sandbox did` : hint;
}

const movedHint = 'the key is only sent to its own address; if the service has moved, change the base URL';
const unsureHint = 'it may have been done: check before you repeat it';
// §7
const faultHint = 'if this persists, contact the support of the service';

interface ErrorBody {
  /** Parsed JSON, or the beginning of the text; undefined if empty. */
  readonly body: unknown;
  /** A readable message, if one of the usual fields has it. */
  readonly detail: string | undefined;
}

// §7: the document does not show the shape of an error's body, so all of this is a guess.
function readErrorBody(bytes: Buffer, redactor: Redactor): ErrorBody {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return { body: undefined, detail: undefined };
  const json = text.length > 65_536 ? undefined : parsed(text);
  if (json === undefined) return { body: excerpt(text, redactor), detail: undefined };
  const body = redactor.value(json);
  return { body, detail: errorDetail(body) };
}

/** Redacts before cutting: half of a key is a secret too. */
function excerpt(text: string, redactor: Redactor): string {
  const safe = redactor.text(text.slice(0, 65_536));
  return safe.length > 4_096 ? `${safe.slice(0, 4_096)}…` : safe;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
