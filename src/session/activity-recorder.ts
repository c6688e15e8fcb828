import type { Entry, Facts, Writer } from './activity/log.ts';
import type { CallGuard } from '../client/exchange.ts';
import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { isRecord } from '../contract/readers.ts';
import { CliError } from '../base/errors.ts';
import { fsError } from '../base/files.ts';
import type { Outcome } from '../ledger/ledger.ts';
import type { Approached, Session } from './session.ts';
import type { OnceOptions } from './duplicate-guard.ts';

/** Logs calls that change something at the service, and guards live messages against accidental duplicates. */
export function recording(session: Session, approached: Approached): CallGuard {
  return async (request, send, { again = false, retryUnsure = false }) => {
    const [{ factsIn, resultOf, resultOfError }, { begin }] = await Promise.all([
      import('./activity/request.ts'),
      import('./activity/log.ts'),
    ]);
    const { message, ...subject } = factsIn(request);
    const facts = { ...factsOf(session, approached), ...subject };
    const writer = await writerOf(session, approached, message);
    const once =
      message && isLive(approached) ? await onceFor(session, approached, { message, again, retryUnsure }) : undefined;
    let entry: Entry | undefined;
    try {
      await once?.ask();
      const answer = await send({
        async beforeSend() {
          await once?.beforeSend();
          entry ??= begin(writer, facts);
        },
        beforeRetry: () => once?.beforeRetry(),
      });
      await once?.settle(outcomeOf(answer));
      entry?.end(resultOf(answer));
      return answer;
    } catch (error) {
      await once?.settle(outcomeOfError(error));
      entry?.end(resultOfError(error));
      throw message ? withNextStep(error) : error;
    } finally {
      await once?.close();
    }
  };
}

async function onceFor(
  session: Session,
  approached: Approached,
  options: Pick<OnceOptions, 'message' | 'again' | 'retryUnsure'>,
) {
  const { openOnce } = await import('./duplicate-guard.ts');
  return openOnce({ session, caller: approached.caller, approached, ...options });
}

/** An observed answer may hold a failure. */
function outcomeOf(answer: unknown): Outcome {
  return isRecord(answer) && answer['failure'] instanceof CliError ? outcomeOfError(answer['failure']) : 'done';
}

const released: ReadonlySet<string> = new Set(['rateLimited', 'keyRefused', 'configuration', 'interrupted', 'network']);

function outcomeOfError(error: unknown): Outcome {
  if (!(error instanceof CliError) || error.done === 'unknown' || error.exit === 'unsure') return 'unsure';
  return released.has(error.exit) ? 'release' : 'failed';
}

export interface RunCounts {
  readonly rows: number;
  readonly sent: number;
  readonly failed: number;
  readonly unsure: number;
  readonly not_reached: number;
}

export interface RunStarted extends Pick<Facts, 'run' | 'template'> {
  readonly name: EndpointName;
}

/** Logs the start of a run; the returned function logs its result. */
export async function recordRun(
  session: Session,
  approached: Approached,
  { name, ...run }: RunStarted,
): Promise<(counts: RunCounts, isStopped: boolean) => void> {
  const [{ begin }, writer] = await Promise.all([
    import('./activity/log.ts'),
    writerOf(session, approached, undefined),
  ]);
  const { method, path: endpoint } = endpoints[name];
  const { host } = new URL(approached.target.baseUrl);
  const entry = begin(writer, { ...factsOf(session, approached), host, method, endpoint, ...run });
  return ({ rows, sent: done, failed, unsure, not_reached: unsent }, isStopped) => {
    const counts = { rows, done, failed, unsure, unsent };
    // Skipped rows, and rows beyond --first, are not failures.
    entry.end({ outcome: unsure > 0 ? 'unsure' : failed > 0 || isStopped ? 'failed' : 'done', counts });
  };
}

/** A key of unknown mode counts as live. */
function isLive({ target: { mode } }: Approached): boolean {
  return mode !== 'sandbox';
}

function factsOf({ command }: Session, { target, simulated, isLocal }: Approached) {
  return { profile: isLocal ? 'local' : (target.profile ?? 'environment'), mode: target.mode, simulated, command };
}

async function writerOf(
  session: Session,
  { target }: Approached,
  message: Pick<OnceOptions['message'], 'to'> | undefined,
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
  const { exit, code, message, status, body, done, cause } = error;
  const next = 'bizmsg activity --since 10m shows what was sent from here; --retry-unsure sends it again';
  const hint = error.hint === undefined ? next : `${error.hint}\n${next}`;
  return new CliError(exit, code, message, { hint, status, body, done, cause });
}
