import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { CliError } from '../base/errors.ts';
import { shellWord } from '../session/profiles/store.ts';
import { type Check, checksOf } from './check.ts';

const { pass, warn, skip, failed } = checksOf('service');

export interface Asking {
  /** One request, and nothing that repeats it. */
  call(name: EndpointName): Promise<unknown>;
  /** The stored profile that the key is of. */
  readonly profile: string | undefined;
  /** A sandbox on this machine is asked. */
  readonly simulated: boolean;
  readonly now: () => number;
}

const readable = Object.entries(endpoints).flatMap(([name, { method, path }]) =>
  method === 'GET' && isEndpoint(name) ? [{ endpoint: name, name: path.split('/').at(-1) ?? name }] : [],
);

/** One GET for each family, up to a failure that the others would meet as well. */
export async function serviceChecks(asking: Asking): Promise<readonly Check[]> {
  const checks: Check[] = [];
  let stop: string | undefined;
  for (const { endpoint, name } of readable) {
    if (stop !== undefined) {
      checks.push(skip(name, `not asked: ${stop}`));
      continue;
    }
    const start = asking.now();
    const failure = await failureOf(asking, endpoint);
    if (!failure) checks.push(pass(name, `answered in ${asking.now() - start} ms`));
    else checks.push(judged(name, failure, asking));
    stop = failure && lasting(failure);
  }
  return checks;
}

export function skippedService(why: string): Check {
  return skip('calls', why);
}

async function failureOf({ call }: Asking, endpoint: EndpointName): Promise<CliError | undefined> {
  try {
    await call(endpoint);
    return undefined;
  } catch (error) {
    if (error instanceof CliError && error.exit !== 'interrupted') return error;
    throw error;
  }
}

function judged(name: string, failure: CliError, asking: Asking): Check {
  const { status, message } = failure;
  const remedy = remedyOf(failure, asking);
  // §5.4, §5.7: a key that may only send is as good as any.
  if (status === 403) return warn(name, message, 'fine for a key that only sends; else look at its scope and the plan');
  if (status === 429) return warn(name, message, 'wait a minute; production and this share the minute of the plan');
  return failed(name, failure, remedy);
}

function remedyOf({ status, code, hint }: CliError, { profile, simulated }: Asking): string | undefined {
  const stored = profile === undefined ? undefined : shellWord(profile);
  if (status === 401 && simulated)
    return 'bizmsg sandbox keys list shows those that are taken; bizmsg sandbox keys go-live makes live ones valid';
  if (status === 401) {
    const how = stored === undefined ? 'put it in BIZMSG_API_KEY' : `bizmsg keys set --profile ${stored}`;
    return `make a key in the account settings, under API Keys, and ${how}`;
  }
  if (status === 404 || code === 'unreadable-answer') {
    const set = stored === undefined ? 'BIZMSG_BASE_URL' : `bizmsg profiles set ${stored} --base-url URL`;
    return `is the base URL that of the API? ${set}`;
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
