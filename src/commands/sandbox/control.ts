import { CliError } from '../../base/errors.ts';
import type { Context } from '../../cli/command.ts';
import type { Locator } from '../../sandbox/remote/locator.ts';
import type { InputOf, OperationName, OutputOf, Remote } from '../../sandbox/remote/remote.ts';

/** Runs one operation of the sandbox that commands control. */
export async function ask<O extends OperationName>(
  context: Context,
  operation: O,
  input?: InputOf<O>,
): Promise<OutputOf<O>> {
  const sandbox = await controlled(context);
  try {
    return await sandbox.ask(operation, input);
  } catch (error) {
    throw error instanceof CliError ? inCommandWords(error, operation) : error;
  }
}

/** The sandbox that the environment names, or that of the profile `local`, started on demand. */
export async function controlled(context: Context): Promise<Remote> {
  return remoteOf(await (await context.sandboxes()).controlled());
}

/** The control plane of a running sandbox. */
export async function remoteOf(running: Pick<Locator, 'url' | 'token'>): Promise<Remote> {
  return (await import('../../sandbox/remote/remote.ts')).openRemote(running);
}

/** Milliseconds that one request waits for new records. */
export const longPoll = 20_000;
/** A cursor past every existing event. */
export const afterAll = Number.MAX_SAFE_INTEGER;

/** The command that lists the valid values, named when one is not found. */
const listedBy: Partial<Record<OperationName, string>> = {
  revokeKey: 'set',
  removeWebhook: 'set',
  audit: 'set',
  clearFaults: 'fault',
  message: 'log',
  delivery: 'log --type deliveries',
  redeliver: 'log --type deliveries',
};

/** Names options instead of fields: `pass name` and `/amount must be` are `pass --name` and `--amount must be`. */
function inCommandWords({ exit, code, message, hint, cause }: CliError, operation: OperationName): CliError {
  const reworded = message
    .replace('external: true', '--allow-external')
    .replace(/pass (to|name) /, 'pass --$1 ')
    .replace(/: \/(\w+)(?= )/, ': --$1');
  const list = exit === 'notFound' ? listedBy[operation] : undefined;
  return new CliError(exit, code, reworded, { hint: list === undefined ? hint : `see bizmsg sandbox ${list}`, cause });
}
