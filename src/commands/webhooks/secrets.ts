import { optionalCaller } from '../../session/caller.ts';
import { secretOwner, signingSecret } from '../../session/secrets.ts';
import type { Context } from '../../cli/command.ts';
import { flag, type Input, option } from '../../cli/params.ts';
import { CliError, configuration, usage } from '../../base/errors.ts';
import { remoteOf } from '../sandbox/control.ts';

export const secretParams = {
  secretStdin: flag('--secret-stdin', 'read the webhook secret from stdin'),
  secretFile: option(
    '--secret-file <file>',
    "read the webhook secret from a file (default: BIZMSG_WEBHOOK_SECRET, or the profile's)",
  ),
} as const;

/** A webhook secret and its origin. */
export interface NamedSecret {
  readonly secret: string;
  readonly whose: string;
}

/**
 * The secrets that may have signed a received event: that of the options; otherwise that of the environment or the
 * profile, and those of the running sandbox, unless another profile is named. For a command that has the options, the
 * environment names a secret as they do: the only one.
 */
export async function secretsToTry(
  context: Context,
  options?: Input<typeof secretParams>,
): Promise<readonly NamedSecret[]> {
  const { profile } = context.given;
  const typed = options && (await givenSecret(context, options));
  if (typed !== undefined) return [{ secret: typed, whose: 'the given secret' }];
  const secret = profile === 'local' ? undefined : signingSecret(context);
  const stored = secret === undefined ? [] : [{ secret, whose: secretOwner(context) }];
  const isNamed = profile !== undefined || (options && context.host.env['BIZMSG_WEBHOOK_SECRET'] !== undefined);
  if (isNamed && secret !== undefined) return stored;
  const secrets = [...stored, ...(await sandboxSecrets(context))];
  if (secrets.length > 0 || optionalCaller(context)?.kind !== 'local') return secrets;
  const hint = 'bizmsg sandbox start --background starts it';
  throw configuration('no-secret', 'the webhook secret is that of the sandbox, which is not running', hint);
}

/** All secrets of the running sandbox, the current one first. Does not start one. */
async function sandboxSecrets(context: Context): Promise<readonly NamedSecret[]> {
  const sandboxes = await context.sandboxes();
  const running = await sandboxes.find();
  if (!running) return [];
  const { secret: current, secrets } = await (await remoteOf(running)).ask('env');
  return secrets.flatMap((text) => {
    const secret = signingSecret(context, text);
    const whose = text === current ? "the sandbox's secret" : 'another secret of the sandbox';
    return secret === undefined ? [] : [{ secret, whose }];
  });
}

/** The secret given on this command line. */
export async function givenSecret(
  context: Context,
  { secretStdin, secretFile }: Input<typeof secretParams>,
): Promise<string | undefined> {
  if (secretStdin && secretFile !== undefined) throw usage('give either --secret-stdin or --secret-file');
  if (secretStdin) return signingSecret(context, await context.stdin());
  return secretFile === undefined ? undefined : signingSecret(context, await context.read(secretFile));
}

/** The secret of the environment or the profile, if there is one. */
export function storedSecret(context: Context): string | undefined {
  try {
    return signingSecret(context);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return undefined;
    throw error;
  }
}

export const secretHint =
  'use --secret-stdin, --secret-file or BIZMSG_WEBHOOK_SECRET; --profile local uses that of the sandbox';
