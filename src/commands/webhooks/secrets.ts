import { describeCaller } from '../../session/current-caller.ts';
import { secretOwner, signingSecret } from '../../session/signing-secret.ts';
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
export interface KnownSecret {
  readonly secret: string;
  readonly whose: string;
}

/** The webhook secret from stdin, a file, the environment, the profile, or the running sandbox if that is called. */
async function secretIn(
  context: Context,
  { secretStdin, secretFile }: Input<typeof secretParams>,
): Promise<KnownSecret | undefined> {
  const given = await givenSecret(context, { secretStdin, secretFile });
  if (given !== undefined) return { secret: given, whose: 'the given secret' };
  const stored = context.given.profile === 'local' ? undefined : signingSecret(context.session);
  if (stored !== undefined) return { secret: stored, whose: secretOwner(context.session) };
  const secret = await sandboxSecret(context);
  return secret === undefined ? undefined : { secret, whose: "the sandbox's secret" };
}

/** The secrets that may have signed a received event: the usual one first, or only the one that was asked for. */
export async function secretsToTry(
  context: Context,
  given: Input<typeof secretParams>,
): Promise<readonly KnownSecret[]> {
  const usual = await secretIn(context, given);
  const first = usual === undefined ? [] : [usual];
  if (given.secretStdin || given.secretFile !== undefined || context.given.profile !== undefined) return first;
  return [...first, ...(await runningSandboxSecret(context)), ...(await profileSecrets(context))];
}

async function runningSandboxSecret(context: Context): Promise<readonly KnownSecret[]> {
  const sandboxes = await context.sandboxes();
  const running = sandboxes.find();
  if (!running) return [];
  const secret = signingSecret(context.session, (await (await remoteOf(context, running)).ask('env')).secret);
  return secret === undefined ? [] : [{ secret, whose: "the sandbox's secret" }];
}

async function profileSecrets({ session }: Context): Promise<readonly KnownSecret[]> {
  const [{ readStore }, { configFolder }, { webhookSecretFault }] = await Promise.all([
    import('../../session/profiles/store.ts'),
    import('../../session/profiles/environment.ts'),
    import('../../session/profiles/key.ts'),
  ]);
  const { profiles } = readStore(configFolder(session.host.env, session.host.home));
  return Object.entries(profiles).flatMap(([name, { webhookSecret: secret }]) => {
    if (secret === undefined || webhookSecretFault(secret) !== undefined) return [];
    session.reporter.hide(secret);
    return [{ secret, whose: `the secret of the profile "${name}"` }];
  });
}

/** The secret given on this command line. */
export async function givenSecret(
  context: Context,
  { secretStdin, secretFile }: Input<typeof secretParams>,
): Promise<string | undefined> {
  if (secretStdin && secretFile !== undefined) throw usage('give either --secret-stdin or --secret-file');
  if (secretStdin) return signingSecret(context.session, await context.stdin());
  return secretFile === undefined ? undefined : signingSecret(context.session, await context.read(secretFile));
}

/** The secret of the running sandbox. Does not start one. */
async function sandboxSecret(context: Context): Promise<string | undefined> {
  const { winner } = await describeCaller(context.session);
  if (winner?.profile !== 'local') return undefined;
  const sandboxes = await context.sandboxes();
  const running = sandboxes.find();
  if (running) return signingSecret(context.session, (await (await remoteOf(context, running)).ask('env')).secret);
  const hint = 'bizmsg sandbox start --background starts it';
  throw configuration('no-secret', 'the webhook secret is that of the sandbox, which is not running', hint);
}

/** The secret of the environment or the profile, if there is one. */
export async function storedSecret(context: Context): Promise<string | undefined> {
  try {
    return signingSecret(context.session);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return undefined;
    throw error;
  }
}

/** Like `secretIn`, but throws if there is no valid secret. */
export async function requiredSecret(context: Context, input: Input<typeof secretParams>): Promise<string> {
  const { isSecret } = await import('../../contract/signature.ts');
  const { secret } = (await secretIn(context, input)) ?? {};
  if (secret === undefined) throw configuration('no-secret', 'no webhook secret is known', secretHint);
  if (isSecret(secret) || isSecret(`whsec_${secret}`)) return secret;
  throw configuration('bad-secret', 'the webhook secret must be whsec_ and at least 16 bytes in base64');
}

export const secretHint =
  'use --secret-stdin, --secret-file or BIZMSG_WEBHOOK_SECRET; --profile local uses that of the sandbox';
