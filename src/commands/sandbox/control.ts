import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { InputOf, OperationName, OutputOf, Remote } from '../../sandbox/remote/remote.ts';

/** Runs one operation of the local sandbox. */
export async function ask<O extends OperationName>(
  context: Context,
  operation: O,
  input?: InputOf<O>,
): Promise<OutputOf<O>> {
  const sandbox = await localSandbox(context);
  try {
    return await sandbox.ask(operation, input);
  } catch (error) {
    throw inCommandWords(error, operation);
  }
}

/** The control plane of the sandbox that the environment names, or of that of the profile `local`, started on demand. */
async function localSandbox(context: Context): Promise<Remote> {
  const { controlled } = await context.sandboxes();
  return remoteOf(context, await controlled());
}

/** The control plane of a running sandbox. */
export async function remoteOf(context: Context, locator: Locator): Promise<Remote> {
  const [{ openRemote }, { proven }] = await Promise.all([
    import('../../sandbox/remote/remote.ts'),
    context.sandboxes(),
  ]);
  return openRemote(await proven(locator));
}

type Log = 'requests' | 'messages' | 'deliveries';
type Part = Pick<InputOf<Log>, 'after' | 'before' | 'limit'>;

/** Milliseconds that one request waits for new records. */
const longPoll = 20_000;

/** One of the sandbox's logs as the source of a list, read with an operation. */
export function sandboxLog<R>(
  context: Context,
  of: InputOf<'cursor'>['of'],
  read: (sandbox: Remote, part: Part) => Promise<readonly R[]>,
) {
  let opening: Promise<Remote> | undefined;
  const sandbox = () => (opening ??= localSandbox(context));
  return {
    end: async () => (await sandbox()).ask('cursor', { of }),
    async *before(cursor: number, wanted: number) {
      const limit = wanted === Infinity ? undefined : Math.max(1, wanted);
      yield* (await read(await sandbox(), { before: cursor, limit })).toReversed();
    },
    async after(cursor: number) {
      const next = await (await sandbox()).ask('cursor', { of, after: cursor, wait: longPoll }, context.host.signal);
      const records = await read(await sandbox(), { after: cursor, before: next });
      const missed = next - cursor - records.length;
      if (missed > 0) context.note('missed', `${of} removed from the log before they could be shown: ${missed}`);
      return { records, cursor: next };
    },
    now: async () => Date.parse((await (await sandbox()).ask('clock')).now),
  };
}

/** The command that lists the valid values, named when one is not found. */
const listedBy: Partial<Record<OperationName, string>> = {
  revokeKey: 'sandbox keys list',
  clearFaults: 'sandbox fault list',
  removeWebhook: 'sandbox endpoints list',
  rotateSecret: 'sandbox endpoints list',
  delivery: 'sandbox endpoints deliveries',
  redeliver: 'sandbox endpoints deliveries',
  message: 'sandbox messages',
};

/** Words of a refusal that name an input, and the option for it. */
const options = [
  ['external: true', '--allow-external'],
  ['pass to ', 'pass --to '],
  ['pass name ', 'pass --name '],
] as const;

function inCommandWords(error: unknown, operation: OperationName): unknown {
  if (!(error instanceof CliError)) return error;
  const { exit, code, message, hint, cause } = error;
  const reworded = options.reduce((text, [word, option]) => text.replaceAll(word, option), message);
  const list = listedBy[operation];
  const reference = exit === 'notFound' && list !== undefined ? `see bizmsg ${list}` : hint;
  return new CliError(exit, code, reworded, { hint: reference, cause });
}
