import type { CliError } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import type { Answer } from '../store/work.ts';

/** What the error of a request says about its row, and about the service. */
interface Failure {
  readonly answer: Answer;
  /** There was no answer, so the service may be down. */
  readonly isLost: boolean;
  /** Every other row would fail as well: the key is refused or the plan is used up, for example. */
  readonly isFinal: boolean;
  /** It says something about the service: a 400 is about its row. */
  readonly isFault: boolean;
}

const longestReason = 500;

export function failureOf({ exit, code, done, status, message }: CliError): Failure {
  const isInterrupted = exit === 'interrupted';
  const isUnsure = done === 'unknown' || exit === 'unsure';
  const isFailed = exit === 'rejected' || exit === 'notFound';
  const reason = redact(message).slice(0, longestReason);
  const isAgain = !isUnsure && !isFailed;
  return {
    answer: isAgain ? { kind: 'again' } : { kind: isUnsure ? 'unsure' : 'failed', code, reason },
    isLost: status === undefined && !isInterrupted && (isUnsure || exit === 'network'),
    isFinal: isInterrupted || (isAgain && exit !== 'network'),
    isFault: exit === 'notFound' || (isUnsure && !isInterrupted),
  };
}

/** The id of a new message or contact. */
export function idOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const id = answer['message_id'] ?? answer['id'];
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? redact(String(id)) : undefined;
}
