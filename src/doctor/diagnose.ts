import { trustedCertificates, routeOf } from '../client/transport.ts';
import { createRedactor } from '../base/redact.ts';
import { addressCheck, callerCheck, keyCheck, planCheck, teamChecks } from './caller.ts';
import { type Check, type Diagnosis, diagnosis, foreseen } from './check.ts';
import { clockCheck, machineChecks } from './machine.ts';
import { networkChecks, type Route, skippedNetwork, routeFailure } from './network.ts';
import { openCalls, serviceChecks, skippedService } from './service.ts';
import { CliError } from '../base/errors.ts';
import { type Caller, callerInputs, type Target } from '../session/profiles/resolve.ts';
import { explain } from '../session/profiles/explain.ts';
import { locatorsIn } from '../sandbox/remote/locator.ts';
import type { CheckedTarget, Session } from '../session/session.ts';
import { prepareTarget, transportOptionsFor } from '../session/connect.ts';
import { planOf } from '../session/pace.ts';
import { openSandboxes } from '../session/sandboxes.ts';

/** Checks everything that commands depend on. Changes nothing. */
export async function diagnose(given: Session): Promise<Diagnosis> {
  const session = { ...given, sandboxes: looking(given) };
  const explanation = explain(callerInputs(session));
  const { caller } = explanation;
  const checks = [
    ...(await machineChecks(session.host)),
    callerCheck(explanation),
    ...(caller ? await teamChecks(session, caller) : []),
  ];
  if (!caller) return withoutCalls(checks, 'there is no key');
  const reached = await checkedTargetOf(session, caller).catch(foreseen);
  if (!reached || reached instanceof CliError) {
    if (caller.kind === 'service') checks.push(keyCheck(caller, false));
    checks.push(addressCheck(reached));
    return withoutCalls(checks, reached ? 'the key may not be sent there' : 'no sandbox is running');
  }
  const { target, simulated } = reached;
  // A sandbox that does not report its own problem is checked below.
  const plan = await planOf(session, reached).catch(foreseen);
  checks.push(
    keyCheck(target, simulated),
    planCheck(caller, plan instanceof CliError ? undefined : plan.perMinute, simulated),
    addressCheck(reached),
  );
  const { host } = new URL(target.baseUrl);
  checks.push(...(await session.interaction.spin(`Checking the connection to ${host}`, networkOf(session, target))));
  if (checks.some(({ group, status }) => group === 'network' && status === 'fail'))
    return diagnosis([...checks, skippedService('the service is not reached'), clockCheck(undefined)], 0);
  return checkService(session, { caller, reached }, checks);
}

/** Even what is left of a sandbox that has ended stays where it is. */
function looking({ host, stateFolder }: Session): Session['sandboxes'] {
  return async () => openSandboxes(host, stateFolder(), (...which) => locatorsIn(...which).live);
}

function withoutCalls(checks: readonly Check[], why: string): Diagnosis {
  const rest = [skippedNetwork(why), skippedService(why), clockCheck(undefined)];
  return diagnosis([...checks, ...rest], 0);
}

interface Reached {
  readonly caller: Caller;
  readonly reached: CheckedTarget;
}

async function checkService(session: Session, { caller, reached }: Reached, before: readonly Check[]) {
  const calls = openCalls(session, reached);
  try {
    const { simulated, target } = reached;
    const profile = caller.kind === 'service' ? caller.profile : undefined;
    const checking = serviceChecks({ call: calls.call, profile, simulated, now: session.host.now });
    const service = await session.interaction.spin(`Waiting for ${new URL(target.baseUrl).host}`, checking);
    return diagnosis([...before, ...service, clockCheck(calls.time())], calls.count());
  } finally {
    await calls.close();
  }
}

/** Undefined if the sandbox is not running. */
async function checkedTargetOf(session: Session, caller: Caller): Promise<CheckedTarget | undefined> {
  if (caller.kind === 'service') return prepareTarget(session, caller);
  const running = (await session.sandboxes()).find();
  const { mode } = caller;
  return running && prepareTarget(session, { kind: 'service', baseUrl: running.url, key: running.keys[mode], mode });
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
    return routeFailure(foreseen(error));
  }
}
