import type { CliError } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { parseJson } from '../base/json.ts';
import { isRecord } from '../contract/readers.ts';
import { answerOf } from '../session/request-facts.ts';
import { knownReasons } from './outcomes.ts';

/** The answer for the row of a failed request, and what it means for the service. */
export function failureOf(error: CliError) {
  const { exit, status } = error;
  const answer = answerOf(error);
  const isInterrupted = exit === 'interrupted';
  const isUnsure = answer.kind === 'unsure';
  return {
    answer,
    /** There was no answer, so the service may be down. */
    isLost: status === undefined && !isInterrupted && (isUnsure || exit === 'network'),
    /** Every other row would fail as well: the key is refused or the plan is used up, for example. */
    isFinal: isInterrupted || (answer.kind === 'again' && exit !== 'network'),
    /** It says something about the service: a 400 is about its row. */
    isFault: exit === 'notFound' || (isUnsure && !isInterrupted),
  };
}

/** The id of a new message or contact. */
export function idOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined;
  const id = answer['message_id'] ?? answer['id'];
  return typeof id === 'string' || typeof id === 'number' || typeof id === 'bigint' ? redact(String(id)) : undefined;
}

/** Whether an answer says that the service had the contact before. The document does not show the status of a success. */
export function knownReason(body: string, status: number | undefined, answer: unknown): string | undefined {
  const [sent, record] = [parseJson(body), answer];
  if (isRecord(sent) && isRecord(record)) {
    const isOther = (name: string) => Object.hasOwn(record, name) && isPlain(sent[name]) && record[name] !== sent[name];
    if (Object.keys(sent).some((name) => name !== 'phone' && isOther(name))) return knownReasons.differs;
  }
  return status === 200 ? knownReasons.known : undefined;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
