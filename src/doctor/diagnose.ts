import { exitCodes } from '../base/errors.ts';
import type { Session } from '../session/session.ts';
import type { Check } from './check.ts';
import { clockCheck, nodeCheck, stateCheck } from './machine.ts';
import { profileCheck, serviceCheck } from './service.ts';

export interface Diagnosis {
  readonly checks: readonly Check[];
  /** The exit code of the first failure, or 0. */
  readonly exit: number;
}

/** Checks what commands depend on. Changes nothing, and starts no sandbox. */
export async function diagnose(session: Session): Promise<Diagnosis> {
  const { host } = session;
  const profile = await profileCheck(session);
  const service = await serviceCheck(session, profile);
  const checks = [
    nodeCheck(host),
    await stateCheck(session, profile.caller),
    profile.check,
    service.check,
    clockCheck(host, service.skew),
  ];
  const first = checks.find(({ status }) => status === 'fail');
  return { checks, exit: first?.exit ?? exitCodes.done };
}
