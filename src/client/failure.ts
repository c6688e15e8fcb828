import { CliError, type Done, type ErrorCode, type ExitName } from '../base/errors.ts';
import { moreFiles } from '../base/files.ts';
import { tryJson } from '../base/json.ts';
import type { Redactor } from '../base/redact.ts';
import { errorDetail, statuses } from '../contract/endpoints.ts';
import { isLoopback } from './address.ts';
import { proxyHint } from './transport.ts';
import { type AttemptFailure, isMutation, type WireAnswer, WireFailure, type WireFailureKind } from './wire.ts';

interface FailedRequest {
  readonly method: string;
  readonly url: string;
  readonly redactor: Redactor;
  /** Milliseconds that the service asks to wait, if that is not done. */
  readonly wait?: number | undefined;
  /** True if it went to a local sandbox. */
  readonly local?: boolean | undefined;
}

/** Converts a failure to an error with an exit code, a hint, and whether the call was processed. */
export function errorFor(failure: AttemptFailure, request: FailedRequest): CliError {
  const error = failure instanceof WireFailure ? networkError(failure, request) : answerError(failure, request);
  return request.local ? error.withHint(localHint(error)) : error;
}

function answerError(failure: Exclude<AttemptFailure, WireFailure>, request: FailedRequest): CliError {
  if (failure.kind === 'refused') return refused(failure.answer, request);
  const { kind, answer, why } = failure;
  return kind === 'redirected' ? redirected(answer, why, request) : unreadable(answer, why, request);
}

interface ErrorKind {
  readonly exit: ExitName;
  readonly code: ErrorCode;
  readonly hint?: string | undefined;
}

// §5.3, §5.4, §5.7, §8.1
const errorKinds: Readonly<Record<number, ErrorKind>> = {
  401: {
    exit: 'keyRefused',
    code: 'unauthorized',
    hint: 'create keys in the account settings, under API Keys, after verifying the business number; revoked keys are rejected',
  },
  403: { exit: 'keyRefused', code: 'forbidden', hint: "your plan or this key's scope does not allow this endpoint" },
  404: { exit: 'notFound', code: 'not-found' },
  429: {
    exit: 'rateLimited',
    code: 'rate-limited',
    // The document does not show how to distinguish them.
    hint: "the plan's rate limit or monthly quota has been reached",
  },
};

function errorKind(status: number, mutates: boolean): ErrorKind {
  const kind = errorKinds[status];
  if (kind) return kind;
  // A 408 may have crossed the request, and a 409 may mean that the same one is being processed.
  const maybeDone = (status === 408 || status === 409) && mutates;
  if (status >= 400 && status < 500 && !maybeDone) return { exit: 'rejected', code: 'rejected' };
  const code = status >= 500 ? 'service-fault' : 'unexpected-status';
  return mutates
    ? { exit: 'unsure', code, hint: `${unsureHint}\n${faultHint}` }
    : { exit: 'serviceFault', code, hint: faultHint };
}

function refused(answer: WireAnswer, { method, redactor, wait }: FailedRequest): CliError {
  const { status } = answer;
  const { exit, code, hint } = errorKind(status, isMutation(method));
  const { body, detail } = readBody(answer, redactor);
  const pause = wait === undefined ? '' : `, and asks to wait ${durationText(wait)}`;
  const name = `${status} ${names[status]?.name ?? ''}`.trim();
  const done = doneOf(method, exit === 'unsure');
  return new CliError(exit, code, `the service answered ${name}${pause}${detail}`, { hint, status, body, done });
}

const names: Readonly<Record<number, { readonly name: string }>> = statuses;

function durationText(milliseconds: number): string {
  if (milliseconds < 120_000) return `${Math.ceil(milliseconds / 1_000)} s`;
  const minutes = Math.ceil(milliseconds / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** The effect of a call that changes something. */
function doneOf(method: string, maybeDone: boolean): Done | undefined {
  if (!isMutation(method)) return undefined;
  return maybeDone ? 'unknown' : 'no';
}

function unreadable(answer: WireAnswer, why: string, { method, redactor }: FailedRequest): CliError {
  const { status } = answer;
  const { body } = readBody(answer, redactor);
  const done = doneOf(method, true);
  const hint = done ? unsureHint : `check the address; ${faultHint}`;
  const message = `the service answered ${status}, but the answer cannot be read: ${why}`;
  return new CliError(done ? 'unsure' : 'serviceFault', 'unreadable-answer', message, { hint, status, body, done });
}

function redirected(answer: WireAnswer, why: string, { method, redactor }: FailedRequest): CliError {
  const { status } = answer;
  const { body } = readBody(answer, redactor);
  // 307 and 308 repeat the request elsewhere; the others may follow a request that was processed.
  const done = doneOf(method, status !== 307 && status !== 308);
  const hint = done === 'unknown' ? `${unsureHint}\n${movedHint}` : movedHint;
  const message = redactor.text(`the service answered ${status}: ${why}`);
  return new CliError('unsafe', 'redirect-refused', message, { hint, status, body, done });
}

/** The error for a request without an answer. */
function networkError(failure: WireFailure, { method, url, redactor }: FailedRequest): CliError {
  const { exit = 'network', code, message, hint } = explanations[failure.kind](failure, new URL(url));
  const done = doneOf(method, failure.sent);
  const details = { hint: done === 'unknown' ? unsureHint : hint, done, cause: failure };
  const isUnsure = done === 'unknown' && exit !== 'interrupted';
  return new CliError(isUnsure ? 'unsure' : exit, code, redactor.text(message), details);
}

/** `exit`: if the call certainly changed nothing. Default: `network`. */
type Explanation = Pick<ErrorKind, 'code' | 'hint'> & { readonly message: string; readonly exit?: ExitName };

const explanations: Readonly<Record<WireFailureKind, (failure: WireFailure, url: URL) => Explanation>> = {
  connect: ({ message }, url) => ({
    code: 'unreachable',
    message: `cannot connect to ${url.host}: ${message}`,
    hint: isLoopback(url.hostname)
      ? 'is a server running there? bizmsg sandbox start starts a sandbox'
      : 'check the address and the network',
  }),
  address: (_, { hostname }) => ({
    code: 'unknown-host',
    message: `there is no host "${hostname}"`,
    hint: 'check the base URL and the network',
  }),
  tls: ({ message }, { host }) => ({
    code: 'tls',
    message: `no secure connection to ${host}: ${message}`,
    hint: 'if your own authority signed its certificate, pass that with --ca-file',
  }),
  proxy: ({ message }, { host }) => ({
    code: 'proxy',
    message: `the proxy does not connect to ${host}: ${message}`,
    hint: proxyHint,
  }),
  files: ({ message }, { host }) => ({
    exit: 'configuration',
    code: 'too-many-files',
    message: `cannot connect to ${host}: ${message}`,
    hint: moreFiles,
  }),
  late: ({ message }, { host }) => ({
    code: 'timeout',
    message: `${message} from ${host}`,
    hint: 'see --timeout',
  }),
  interrupted: ({ sent }) => ({
    exit: 'interrupted',
    code: 'interrupted',
    message: `interrupted before the ${sent ? 'answer came' : 'request was sent'}`,
  }),
  reset: ({ message }, { host }) => ({
    code: 'connection-lost',
    message: `the connection to ${host} broke: ${message}`,
  }),
  garbled: ({ message }, { host }) => ({
    exit: 'serviceFault',
    code: 'unreadable-answer',
    message: `the answer of ${host} is not HTTP: ${message}`,
    hint: `check the address; ${faultHint}`,
  }),
  'too-large': ({ message }) => ({ exit: 'serviceFault', code: 'answer-too-large', message, hint: faultHint }),
};

/** Replaces hints by those that only help with a local sandbox. */
function localHint({ exit, code, hint }: CliError): string | undefined {
  if (code === 'unauthorized')
    return '"bizmsg sandbox set" shows the keys of this sandbox, and "bizmsg sandbox set live=on" makes live keys valid';
  return exit === 'unsure' ? `${unsureHint}\nbizmsg sandbox log shows what the sandbox did` : hint;
}

const movedHint = 'the key is only sent to its own address; if the service has moved, change the base URL';
const unsureHint = 'it may have been done: check before you repeat it';
// §7
const faultHint = 'if this persists, contact the support of the service';

/**
 * The body of an error, parsed or as the beginning of its text, and what a message says about it. §7 does not show its
 * shape, so all of this is a guess.
 */
function readBody(answer: WireAnswer, redactor: Redactor): { readonly body: unknown; readonly detail: string } {
  const text = new TextDecoder().decode(answer.body);
  if (text.trim() === '') return { body: undefined, detail: '' };
  const json = text.length > 65_536 ? undefined : tryJson(text);
  if (json === undefined) return { body: excerpt(text, redactor), detail: '' };
  const body = redactor.value(json);
  const detail = errorDetail(body);
  return { body, detail: detail === undefined ? '' : `: ${detail}` };
}

/** Redacts before cutting: half of a key is a secret too. */
function excerpt(text: string, redactor: Redactor): string {
  const safe = redactor.text(text.slice(0, 65_536));
  return safe.length > 4_096 ? `${safe.slice(0, 4_096)}…` : safe;
}
