import { CliError } from '../base/errors.ts';
import { type SendHooks, exchange, type Connection } from './exchange.ts';
import type { WireAnswer, WireRequest } from './transport.ts';

/** Which key to send, to test how the service responds to a missing or invalid one. */
export type KeyChoice = 'own' | 'none' | 'invalid';

export interface Observed {
  /** All answers, including those before a retry; the last one counts. */
  readonly answers: readonly WireAnswer[];
  /** The error that a command would have thrown. */
  readonly failure: CliError | undefined;
  /** Body of the last answer. */
  readonly body: Buffer | undefined;
  /** Number of requests sent. */
  readonly calls: number;
}

/** Sends a request with rate limit and retries, and returns every answer. Redirects are not followed. */
export async function observe(connection: Connection, request: WireRequest, hooks?: SendHooks): Promise<Observed> {
  const answers: WireAnswer[] = [];
  let calls = 0;
  const send: Connection['transport']['send'] = async (asked, limits) => {
    calls += 1;
    const answer = await connection.transport.send(asked, limits);
    answers.push(answer);
    return answer;
  };
  const observed = (failure: CliError | undefined) => ({ answers, failure, body: answers.at(-1)?.body, calls });
  try {
    // A few retries, but not as many as a run: a 429 may be the expected answer.
    const asking = {
      ...connection,
      transport: { ...connection.transport, send },
      rateLimitPatience: undefined,
      bestEffort: true,
    };
    await exchange(asking, request, { redirects: Infinity, hooks });
    return observed(undefined);
  } catch (error) {
    if (error instanceof CliError) return observed(error);
    throw error;
  }
}

type Headers = Readonly<Record<string, string>>;

export function withKey(ours: Headers, key: KeyChoice): Headers {
  if (key === 'own') return ours;
  const { Authorization: _, ...others } = ours;
  return key === 'none' ? others : { ...others, Authorization: `Bearer ${invalidKey}` };
}

// §5.2: the form of a key
const invalidKey = 'sk_test_bizmsgDoctorNoSuchKey';
