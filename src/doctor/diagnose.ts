import { trustedCertificates, routeOf } from '../client/transport.ts';
import { createRedactor } from '../base/redact.ts';
import type { Plan } from '../contract/plans.ts';
import { addressCheck, callerCheck, keyCheck, planCheck } from './caller.ts';
import { type Check, type Diagnosis, diagnosis } from './check.ts';
import { clockCheck, machineChecks } from './machine.ts';
import { networkChecks, type Route, skippedNetwork, wayless } from './network.ts';
import { openCalls, serviceChecks, skippedService } from './service.ts';
import { CliError } from '../base/errors.ts';
import { type Caller, callerInputs, type Target } from '../session/profiles/resolve.ts';
import { explain } from '../session/profiles/explain.ts';
import { locatorsIn } from '../sandbox/remote/locator.ts';
import { withSpinner } from '../cli/output/progress.ts';
import type { CheckedTarget, Session } from '../session/session.ts';
import { checkTarget, transportOptionsFor } from '../session/connect.ts';
import { planOf } from '../session/pace.ts';
import { openSandboxes } from '../session/sandboxes.ts';

/** Checks everything that commands depend on. Changes nothing. */
export async function diagnose(given: Session): Promise<Diagnosis> {
  const session = { ...given, sandboxes: looking(given) };
  const machine = machineChecks(session.host);
  const explanation = explain(callerInputs(session));
  const { caller } = explanation;
  const who = callerCheck(explanation);
  if (!caller) return unasked([...machine, who], 'there is no key');
  const team = await teamOf(session, caller);
  const checkedTarget = await approachedAs(session, caller);
  const refusal = checkedTarget instanceof CliError ? checkedTarget : undefined;
  const reached = checkedTarget instanceof CliError ? undefined : checkedTarget;
  const address = addressCheck(reached?.target.baseUrl, refusal);
  if (!reached) {
    const key = caller.kind === 'service' ? [keyCheck(caller, false)] : [];
    return unasked(
      [...machine, who, ...key, ...team, address],
      refusal ? 'the key may not be sent there' : 'no sandbox is running',
    );
  }
  const plan = planCheck(caller, await knownPlan(session, reached), reached.simulated);
  return asking(session, { caller, reached }, [
    ...machine,
    who,
    keyCheck(reached.target, reached.simulated),
    plan,
    ...team,
    address,
  ]);
}

/** Loads the client of the server only if there is one. */
async function teamOf(session: Session, caller: Caller): Promise<readonly Check[]> {
  if (caller.kind === 'local' || caller.team === undefined) return [];
  const { teamChecks } = await import('./team.ts');
  return withSpinner("Checking the team's server", session, teamChecks(session, caller));
}

/** Even what is left of a sandbox that has ended stays where it is. */
function looking({ host }: Session): Session['sandboxes'] {
  return async () => openSandboxes(host, (...which) => locatorsIn(...which).live);
}

function unasked(checks: readonly Check[], why: string): Diagnosis {
  const rest = [skippedNetwork(why), skippedService(why), clockCheck(undefined)];
  return diagnosis([...checks, ...rest], 0);
}

interface Reached {
  readonly caller: Caller;
  readonly reached: CheckedTarget;
}

async function asking(session: Session, { caller, reached }: Reached, before: readonly Check[]): Promise<Diagnosis> {
  const { host } = new URL(reached.target.baseUrl);
  const network = await withSpinner(`Checking the connection to ${host}`, session, networkOf(session, reached.target));
  if (network.some(({ status }) => status === 'fail')) {
    const rest = [...network, skippedService('the service is not reached'), clockCheck(undefined)];
    return diagnosis([...before, ...rest], 0);
  }
  const calls = openCalls(session, reached);
  try {
    const { simulated } = reached;
    const profile = caller.kind === 'service' ? caller.profile : undefined;
    const call = (name: Parameters<typeof calls.client.call>[0]) => calls.client.call(name, undefined);
    const looking = serviceChecks({ call, profile, simulated, now: session.host.now });
    const service = await withSpinner(`Waiting for ${host}`, session, looking);
    return diagnosis([...before, ...network, ...service, clockCheck(calls.time())], calls.count());
  } finally {
    await calls.close();
  }
}

/** Undefined if the sandbox is not running; an error if the key may not be sent there. */
async function approachedAs(session: Session, caller: Caller): Promise<CheckedTarget | CliError | undefined> {
  try {
    const target = await targetOf(session, caller);
    return target && (await checkTarget(session, target));
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

async function targetOf(session: Session, caller: Caller): Promise<Target | undefined> {
  if (caller.kind === 'service') return caller;
  const running = (await session.sandboxes()).find();
  return running && { kind: 'service', baseUrl: running.url, key: running.keys[caller.mode], mode: caller.mode };
}

/** A sandbox that does not report its own problem is checked below. */
async function knownPlan(session: Session, reached: CheckedTarget): Promise<Plan> {
  try {
    return await planOf(session, reached);
  } catch (error) {
    if (error instanceof CliError) return { perMinute: undefined, perMonth: undefined };
    throw error;
  }
}

/** Milliseconds that each step may take. */
const patience = 5_000;

async function networkOf(session: Session, { baseUrl, key }: Target): Promise<readonly Check[]> {
  const { host, given } = session;
  try {
    const { ca, proxy } = routeOf(transportOptionsFor(session, { kind: 'service', baseUrl, key, mode: 'unknown' }));
    const names = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
    const route: Route = {
      baseUrl,
      proxy,
      proxyNamedBy: names.find((name) => host.env[name]),
      ca: await trustedCertificates(ca),
      redactor: createRedactor(key),
      signal: host.signal,
      patience: given.timeout ?? patience,
      now: host.now,
    };
    return await networkChecks(route);
  } catch (error) {
    if (error instanceof CliError && error.exit !== 'interrupted') return wayless(error);
    throw error;
  }
}
