import type { ErrorStatus } from '../contract/statuses.ts';
import { statuses } from '../contract/statuses.ts';
import type { ExitName } from '../errors.ts';
import { CliError } from '../errors.ts';
import { compression } from './encoding.ts';
import { readErrorBody } from './error-body.ts';
import { withLocalHint } from './local-hint.ts';
import { networkFailure } from './network-failure.ts';
import type { WireAnswer } from './transport.ts';
import type { Occasion, Trouble } from './trouble.ts';
import { faultHint, isChange, unsureHint } from './trouble.ts';

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
  readonly code: string;
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
