import { isRecord } from '../contract/readers.ts';
import { CliError } from '../errors.ts';
import type { Came } from './record.ts';

/** Of a call that was answered. */
export function came(answer: unknown): Came {
  if (isRecord(answer) && answer['failure'] instanceof CliError) return cameToNothing(answer['failure']);
  const id = messageId(answer);
  return { outcome: 'done', message_id: id };
}

/** Of one that was not. What an error says may hold what was sent, so only its code is kept. */
export function cameToNothing(error: unknown): Came {
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
  return Buffer.isBuffer(body) ? messageId(valueOf(body)) : undefined;
}

function valueOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
