import { CliError } from '../base/errors.ts';
import type { KeyChoice, Observed } from './client.ts';
import { type SendHooks, exchange, type Connection } from './exchange.ts';
import type { WireAnswer, WireRequest } from './transport.ts';

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
