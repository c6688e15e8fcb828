import { CliError } from '../base/errors.ts';
import { type Departure, exchange, type Connection } from './exchange.ts';
import type { WireAnswer, WireRequest } from './transport.ts';

/** The key that a request names, where what is asked is how the service answers that. */
export type KeyNamed = 'own' | 'none' | 'invalid';

export interface Observed {
  /** Every answer that came, those after which the request was repeated included; the last one counts. */
  readonly answers: readonly WireAnswer[];
  /** What a command would have ended with. */
  readonly failure: CliError | undefined;
  /** Of the last answer. */
  readonly body: Buffer | undefined;
  /** How many requests left for it. */
  readonly calls: number;
}

/** A request with its pace and its repetitions, whatever it is answered. No redirect is followed. */
export async function observe(connection: Connection, request: WireRequest, departure?: Departure): Promise<Observed> {
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
    // A few repetitions, and not those of a run: a 429 may well be the answer.
    const asking = {
      ...connection,
      transport: { ...connection.transport, send },
      patience: undefined,
      looksOnly: true,
    };
    await exchange(asking, request, { followed: Infinity, departure });
    return observed(undefined);
  } catch (error) {
    if (error instanceof CliError) return observed(error);
    throw error;
  }
}

type Headers = Readonly<Record<string, string>>;

export function withKey(ours: Headers, key: KeyNamed): Headers {
  if (key === 'own') return ours;
  const { Authorization: _, ...others } = ours;
  return key === 'none' ? others : { ...others, Authorization: `Bearer ${nobodys}` };
}

// §5.2: the form of a key
const nobodys = 'sk_test_bizmsgDoctorNoSuchKey';
