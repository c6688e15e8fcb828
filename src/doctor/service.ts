import type { CliError } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { CheckedTarget, Session } from '../session/session.ts';
import { clientOptionsFor, transportOptionsFor } from '../session/connect.ts';
import { createClient } from '../client/client.ts';
import { redirect } from '../client/exchange.ts';
import { errorFor } from '../client/failure.ts';
import { createRedactor } from '../base/redact.ts';
import { openTransport } from '../client/transport.ts';
import { header, type Transport } from '../client/wire.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { type Check, checksOf, foreseen } from './check.ts';

const { pass, warn, skip, failed } = checksOf('service');

interface Asking {
  /** Sends one request, without retries. */
  call(name: EndpointName): Promise<unknown>;
  /** The stored profile of the key. */
  readonly profile: string | undefined;
  /** True for the sandbox on this machine. */
  readonly simulated: boolean;
  readonly now: () => number;
}

const readable = Object.entries(endpoints).flatMap(([name, { method, path }]) =>
  method === 'GET' && isEndpoint(name) ? [{ endpoint: name, name: path.split('/').at(-1) ?? name }] : [],
);

/** One GET for each list, up to a failure that would affect all of them. */
export async function serviceChecks(asking: Asking): Promise<readonly Check[]> {
  const checks: Check[] = [];
  let stop: string | undefined;
  for (const { endpoint, name } of readable) {
    if (stop !== undefined) {
      checks.push(skip(name, `not asked: ${stop}`));
      continue;
    }
    const start = asking.now();
    const failure = await asking.call(endpoint).then(() => undefined, foreseen);
    if (!failure) checks.push(pass(name, `answered in ${asking.now() - start} ms`));
    else checks.push(judged(name, failure, asking));
    stop = failure && lasting(failure);
  }
  return checks;
}

export function skippedService(why: string): Check {
  return skip('calls', why);
}

function judged(name: string, failure: CliError, asking: Asking): Check {
  const { status, message } = failure;
  const remedy = remedyOf(failure, asking);
  // §5.4, §5.7: send-only keys are valid.
  if (status === 403)
    return warn(name, message, 'fine for a key that only sends; otherwise check its scope and the plan');
  if (status === 429) return warn(name, message, 'wait a minute; production and this share the minute of the plan');
  return failed(name, failure, remedy);
}

function remedyOf({ status, code, hint }: CliError, { profile, simulated }: Asking): string | undefined {
  const stored = profile === undefined ? undefined : shellQuote(profile);
  if (status === 401 && simulated)
    return 'bizmsg sandbox keys list shows the valid keys; bizmsg sandbox keys go-live makes live ones valid';
  if (status === 401) {
    const how = stored === undefined ? 'put it in BIZMSG_API_KEY' : `bizmsg keys set --profile ${stored}`;
    return `make a key in the account settings, under API Keys, and ${how}`;
  }
  if (status === 404 || code === 'unreadable-answer') {
    const set = stored === undefined ? 'BIZMSG_BASE_URL' : `bizmsg profiles set ${stored} --base-url URL`;
    return `does the base URL belong to the API? ${set}`;
  }
  return hint;
}

function lasting({ exit, status }: CliError): string | undefined {
  if (status === 401) return 'the key is refused';
  if (status === 429) return 'the minute of the plan is used up';
  return exit === 'network' ? 'the service does not answer' : undefined;
}

function isEndpoint(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

/** Sends requests, counts them, and records the service's time. */
interface Calls {
  call(name: EndpointName): Promise<unknown>;
  count(): number;
  time(): ServiceTime | undefined;
  close(): Promise<void>;
}

/** Time-out in milliseconds. */
const patience = 10_000;

/** The first answer: local times of request and response, and the service's `Date` header. */
export interface ServiceTime {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly date: string | undefined;
}

export function openCalls(session: Session, { target, simulated }: CheckedTarget): Calls {
  const { host, given } = session;
  const { transport, count, time } = counting(
    openTransport(transportOptionsFor(session, target)),
    host.now,
    target.key,
  );
  const client = createClient({
    ...clientOptionsFor(session, target),
    transport,
    timeout: given.timeout ?? patience,
    // Intermittent failures should be visible.
    retries: 0,
    local: simulated,
  });
  return { call: (name) => client.call(name, undefined), count, time, close: () => transport.close() };
}

function counting(transport: Transport, now: () => number, key: string) {
  const redactor = createRedactor(key);
  let [count, time]: [number, ServiceTime | undefined] = [0, undefined];
  const send: Transport['send'] = async (request, limits) => {
    const sentAt = now();
    count += 1;
    const answer = await transport.send(request, limits);
    time ??= { sentAt, receivedAt: now(), date: header(answer.headers, 'date') };
    // One check is one call; redirects in a circle would make it many.
    if (redirect(request, answer, 0).kind === 'follow') {
      const why = `a redirect to "${header(answer.headers, 'location')}", which doctor does not follow`;
      throw errorFor({ kind: 'redirected', answer, why }, { ...request, redactor });
    }
    return answer;
  };
  return { transport: { ...transport, send }, count: () => count, time: () => time };
}
