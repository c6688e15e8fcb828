import { describeCaller } from '../../session/current-caller.ts';
import { secretOwner, signingSecret } from '../../session/signing-secret.ts';
import type { Context } from '../../cli/command.ts';
import { flag, type Input, option } from '../../cli/params.ts';
import { CliError, configuration, usage } from '../../base/errors.ts';

export const secretParams = {
  secretStdin: flag('--secret-stdin', 'read the webhook secret from stdin'),
  secretFile: option(
    '--secret-file <file>',
    "read the webhook secret from a file (BIZMSG_WEBHOOK_SECRET, or the profile's)",
  ),
} as const;

/** A secret that signs events, and which one that is. */
export interface KnownSecret {
  readonly secret: string;
  readonly whose: string;
}

/** What signs events: from stdin, a file, the environment, the profile or, where that is local, the sandbox that runs. */
export async function secretIn(
  context: Context,
  { secretStdin, secretFile }: Input<typeof secretParams>,
): Promise<KnownSecret | undefined> {
  const given = await givenSecret(context, { secretStdin, secretFile });
  if (given !== undefined) return { secret: given, whose: 'the secret given' };
  const stored = context.given.profile === 'local' ? undefined : signingSecret(context.session);
  if (stored !== undefined) return { secret: stored, whose: secretOwner(context.session) };
  const secret = await sandboxSecret(context);
  return secret === undefined ? undefined : { secret, whose: "the sandbox's secret" };
}

/** The one that this command line gives. */
export async function givenSecret(
  context: Context,
  { secretStdin, secretFile }: Input<typeof secretParams>,
): Promise<string | undefined> {
  if (secretStdin && secretFile !== undefined) throw usage('--secret-stdin and --secret-file exclude each other');
  if (secretStdin) return signingSecret(context.session, await context.stdin());
  return secretFile === undefined ? undefined : signingSecret(context.session, await context.read(secretFile));
}

/** None is started for it: what it signed it signed while it ran. */
async function sandboxSecret(context: Context): Promise<string | undefined> {
  const { winner } = await describeCaller(context.session);
  if (winner?.profile !== 'local') return undefined;
  const sandboxes = await context.sandboxes();
  const running = sandboxes.find();
  if (running) return signingSecret(context.session, (await (await sandboxes.remote(running)).ask('env')).secret);
  const hint = 'bizmsg sandbox start --background starts it';
  throw configuration('no-secret', 'the sandbox has the webhook secret, and it does not run', hint);
}

/** That of the environment or the profile, for what also does without. */
export async function storedSecret(context: Context): Promise<string | undefined> {
  try {
    return signingSecret(context.session);
  } catch (error) {
    if (error instanceof CliError && error.code === 'no-secret') return undefined;
    throw error;
  }
}

/** The same for what cannot do without: one that no receiver could use signs nothing. */
export async function requiredSecret(context: Context, input: Input<typeof secretParams>): Promise<string> {
  const { isSecret } = await import('../../contract/signature.ts');
  const { secret } = (await secretIn(context, input)) ?? {};
  if (secret === undefined) throw configuration('no-secret', 'no webhook secret is known', secretHint);
  if (isSecret(secret) || isSecret(`whsec_${secret}`)) return secret;
  throw configuration('bad-secret', 'the webhook secret is not whsec_ and at least 16 bytes in base64');
}

export const secretHint =
  'give it with --secret-stdin, --secret-file or BIZMSG_WEBHOOK_SECRET; with --profile local it is that of the sandbox';
