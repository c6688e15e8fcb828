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
    throw inCommandWords(error, operation);
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

/** The command that lists the valid values, named when one is not found. */
const listedBy: Partial<Record<OperationName, string>> = {
  revokeKey: 'sandbox set',
  removeWebhook: 'sandbox set',
  clearFaults: 'sandbox fault',
  message: 'sandbox log',
  delivery: 'sandbox log --type deliveries',
  redeliver: 'sandbox log --type deliveries',
  audit: 'sandbox set',
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
