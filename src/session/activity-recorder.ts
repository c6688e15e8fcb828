import { CliError, type ExitName } from '../base/errors.ts';
import { processStart } from '../base/liveness.ts';
import { redactTarget } from '../base/redact.ts';
import type { Database } from '../base/transaction.ts';
import type { WireRequest } from '../client/wire.ts';
import { type BodyOf, endpoints } from '../contract/endpoints.ts';
import { isRecord } from '../contract/readers.ts';
import type { Counts, Facts, Result } from '../logs/activity.ts';
import { factsIn, messageIdIn, shownText } from './request-facts.ts';
import type { CheckedTarget, RecordRunEnd, RunStarted, Session } from './session.ts';

/** Records what one connection changes at the service. If that is not possible, there is a note. */
export interface ActivityRecorder {
  /** Prepares the record of a call; `message` is what it sends. */
  call(request: WireRequest, message: BodyOf<'sendTemplate'> | undefined): CallRecord;
  /** Records the start of a run; the returned function records its result. */
  run(started: RunStarted): Promise<RecordRunEnd>;
  /** Counts this month's live messages; a lower bound. */
  sentThisMonth(): Promise<number>;
  /** The logs, which it closes. */
  logs(): Promise<Database>;
  close(): Promise<void>;
}

/** The record of one call, which exists once its request has left. */
interface CallRecord {
  /** The request is about to leave; repeated before each retry. */
  begin(): Promise<void>;
  answered(answer: unknown): Promise<void>;
  failed(error: unknown): Promise<void>;
}

/** Milliseconds that a record may delay a request. */
const patience = 1_000;

export function createActivityRecorder(session: Session, checkedTarget: CheckedTarget): ActivityRecorder {
  const { host, note } = session;
  const { key } = checkedTarget.target;
  const options = { host, patience, note: (text: string) => note('activity', text) };
  let opening: Promise<Database> | undefined;
  let isNoted = false;
  return {
    call(request, message) {
      let end: Awaited<ReturnType<typeof begin>> | undefined;
      return {
        async begin() {
          end ??= await begin({ ...factsOf(session, checkedTarget), ...factsIn(request, message, key) });
        },
        async answered(answer) {
          const id = messageIdIn(answer);
          const message_id = id && shownText(id, key, message?.to);
          await end?.(failureIn(answer) ?? { outcome: 'done', message_id });
        },
        failed: async (error) => end?.(resultOfError(error)),
      };
    },
    async run({ name, run, template }) {
      const { method, path: endpoint } = endpoints[name];
      const of = { method, endpoint, run, template: template && shownText(template, key) };
      const end = await begin({ ...factsOf(session, checkedTarget), ...of });
      return async ({ rows, sent: done, failed, unsure, not_reached: unsent }, stop) => {
        const counts = { rows, done, failed, unsure, unsent };
        // Skipped rows, and rows beyond --first, are not failures.
        await end({ outcome: unsure > 0 ? 'unsure' : outcomeOfRun(counts, stop), counts });
      };
    },
    async sentThisMonth() {
      const [{ readLogs }, { messagesThisMonth }] = await Promise.all([
        import('../logs/database.ts'),
        import('../logs/activity.ts'),
      ]);
      const count = messagesThisMonth(factsOf(session, checkedTarget), host.now());
      return (await attempt(() => readLogs(session.stateFolder(), options, count))) ?? 0;
    },
    logs,
    async close() {
      await attempt(async () => (await opening)?.close());
    },
  };

  function logs(): Promise<Database> {
    return (opening ??= import('../logs/database.ts').then(({ openLogs }) => openLogs(session.stateFolder(), options)));
  }

  /** Records that a call starts; the returned function records its result. */
  async function begin(facts: Facts): Promise<(result: Result) => Promise<void>> {
    const { pid } = host;
    const statements = await import('../logs/activity.ts');
    const id = await attempt(async () =>
      (await logs()).write(statements.begin({ ...facts, at: host.now(), pid, start: processStart(pid) })),
    );
    return async (result) => {
      if (id === undefined) return;
      await attempt(async () => (await logs()).write(statements.end({ id, pid }, host.now(), result)));
    };
  }

  /** A call goes on if it cannot be recorded. */
  async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (!isNoted) note('activity', `bizmsg activity will not list this: ${error.message}`);
      isNoted = true;
      return undefined;
    }
  }
}

function factsOf({ command }: Session, { caller, target, simulated }: CheckedTarget) {
  const { profile = 'environment', mode, key, baseUrl } = target;
  const host = redactTarget(new URL(baseUrl).host, [key]);
  return { profile: caller.kind === 'local' ? 'local' : redactTarget(profile, [key]), mode, simulated, host, command };
}

function outcomeOfRun(counts: Pick<Counts, 'done' | 'failed'>, stop: ExitName | undefined): Result['outcome'] {
  if (stop === 'interrupted' || stop === 'terminated' || stop === 'hungUp') return 'interrupted';
  if (counts.failed === 0 && stop === undefined) return 'done';
  return counts.done > 0 ? 'partial' : 'failed';
}

/** An observed answer may hold a failure. */
function failureIn(answer: unknown): Result | undefined {
  return isRecord(answer) && answer['failure'] instanceof CliError ? resultOfError(answer['failure']) : undefined;
}

/** The result of a failed call. The message may repeat the request, so only the code is kept. */
function resultOfError(error: unknown): Result {
  if (!(error instanceof CliError)) return { outcome: 'unsure', code: 'bug' };
  const { done, exit, status, code } = error;
  const known = { status, code };
  if (done === 'unknown' || exit === 'unsure') return { outcome: 'unsure', ...known };
  return { outcome: status === undefined ? 'failed' : 'refused', ...known };
}
