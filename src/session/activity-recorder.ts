import type { Counts, Entry, Result, Writer } from './activity/log.ts';
import type { CallGuard } from '../client/exchange.ts';
import { endpoints } from '../contract/endpoints.ts';
import { CliError, type ExitName } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import type { CheckedTarget, RunEnded, RunStarted, Session } from './session.ts';
import type { DuplicateGuardOptions } from './duplicate-guard.ts';

/** Logs calls that change something at the service, and guards live messages against accidental duplicates. */
export function recordAndGuard(session: Session, checkedTarget: CheckedTarget): CallGuard {
  let isNoted = false;
  return async (request, send, { again = false, retryUnsure = false }) => {
    const [{ factsIn, resultOf, resultOfError }, { begin }] = await Promise.all([
      import('./activity/request.ts'),
      import('./activity/log.ts'),
    ]);
    const { message, ...subject } = factsIn(request);
    const facts = { ...factsOf(session, checkedTarget), ...subject };
    const writer = await writerOf(session, checkedTarget, message);
    const duplicates =
      message && isLive(checkedTarget)
        ? await duplicateGuardFor(session, checkedTarget, { message, again, retryUnsure })
        : undefined;
    let entry: Entry | undefined;
    try {
      await duplicates?.ask();
      const answer = await send({
        async beforeSend() {
          await duplicates?.beforeSend();
          if (!isNoted) noteHarmless(session, checkedTarget, message !== undefined);
          isNoted = true;
          entry ??= begin(writer, facts);
        },
        beforeRetry: () => duplicates?.beforeRetry(),
      });
      duplicates?.answered(answer);
      entry?.end(resultOf(answer));
      return answer;
    } catch (error) {
      duplicates?.failed(error);
      entry?.end(resultOfError(error));
      throw message ? withNextStep(error) : error;
    } finally {
      await duplicates?.close();
    }
  };
}

async function duplicateGuardFor(
  session: Session,
  checkedTarget: CheckedTarget,
  options: Pick<DuplicateGuardOptions, 'message' | 'again' | 'retryUnsure'>,
) {
  const { openDuplicateGuard } = await import('./duplicate-guard.ts');
  return openDuplicateGuard({ session, caller: checkedTarget.caller, checkedTarget, ...options });
}

/** Logs the start of a run; the returned function logs its result. */
export async function recordRun(
  session: Session,
  checkedTarget: CheckedTarget,
  { name, ...run }: RunStarted,
): Promise<RunEnded> {
  const [{ begin }, writer] = await Promise.all([
    import('./activity/log.ts'),
    writerOf(session, checkedTarget, undefined),
  ]);
  noteHarmless(session, checkedTarget, name === 'sendTemplate');
  const { method, path: endpoint } = endpoints[name];
  const { host } = new URL(checkedTarget.target.baseUrl);
  const entry = begin(writer, { ...factsOf(session, checkedTarget), host, method, endpoint, ...run });
  return ({ rows, sent: done, failed, unsure, not_reached: unsent }, stop) => {
    const counts = { rows, done, failed, unsure, unsent };
    // Skipped rows, and rows beyond --first, are not failures.
    entry.end({ outcome: unsure > 0 ? 'unsure' : outcomeOfRun(counts, stop), counts });
  };
}

/** Counts this month's live messages; a lower bound. */
export async function sentThisMonth(session: Session, checkedTarget: CheckedTarget): Promise<number> {
  const [month, { activityFolder }, { stateFolder, thisProcess }] = await Promise.all([
    import('./activity/month.ts'),
    import('./activity/log.ts'),
    session.sandboxes(),
  ]);
  const { host } = new URL(checkedTarget.target.baseUrl);
  const { profile } = factsOf(session, checkedTarget);
  return month.sentThisMonth(activityFolder(stateFolder), { profile, host }, thisProcess.now(), thisProcess.kill);
}

/** Prints that nothing really happens; not for reads and dry runs. */
function noteHarmless({ given, reporter }: Session, { target, simulated }: CheckedTarget, isMessage: boolean): void {
  if (given.quiet) return;
  const { host } = new URL(target.baseUrl);
  if (simulated)
    reporter.note('simulated', `simulated by the sandbox on this machine, ${host}; nothing is really sent`);
  else if (isMessage && target.mode === 'sandbox')
    reporter.note('sandbox-key', `with a sandbox key of ${host}, no message reaches a phone`);
}

function outcomeOfRun(counts: Pick<Counts, 'done' | 'failed'>, stop: ExitName | undefined): Result['outcome'] {
  if (stop === 'interrupted' || stop === 'terminated' || stop === 'hungUp') return 'interrupted';
  if (counts.failed === 0 && stop === undefined) return 'done';
  return counts.done > 0 ? 'partial' : 'failed';
}

/** A key of unknown mode counts as live. */
function isLive({ target: { mode } }: CheckedTarget): boolean {
  return mode !== 'sandbox';
}

function factsOf({ command }: Session, { target, simulated, isLocalProfile }: CheckedTarget) {
  return {
    profile: isLocalProfile ? 'local' : (target.profile ?? 'environment'),
    mode: target.mode,
    simulated,
    command,
  };
}

async function writerOf(
  session: Session,
  { target }: CheckedTarget,
  message: Pick<DuplicateGuardOptions['message'], 'to'> | undefined,
): Promise<Writer> {
  const { host, given, reporter } = session;
  const [{ activityFolder }, { stateFolder }] = await Promise.all([import('./activity/log.ts'), session.sandboxes()]);
  const folder = activityFolder(stateFolder);
  let isNoted = false;
  const onFault: Writer['onFault'] = (error) => {
    const fault = error instanceof CliError ? error.message : `cannot use ${folder}: ${reasonOf(error)}`;
    if (!isNoted && !given.quiet) reporter.note('activity', `bizmsg activity will not list this: ${fault}`);
    isNoted = true;
  };
  return { folder, hidden: { key: target.key, phone: message?.to }, process: host, onFault };
}

function reasonOf(error: unknown): string {
  const fault = fsError(error);
  if (!fault) throw error;
  return fault.reason;
}

/** Adds the next step to an error after which the message may have been sent. */
function withNextStep(error: unknown): unknown {
  if (!(error instanceof CliError) || error.done !== 'unknown') return error;
  const next = 'bizmsg activity --since 10m shows what was sent from here; --retry-unsure sends it again';
  return error.withHint(error.hint === undefined ? next : `${error.hint}\n${next}`);
}
