import { configuration } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { configFolder, variable } from './profiles/environment.ts';
import { readWebhookSecret, webhookSecretFault } from './profiles/key.ts';
import { local, profileOf, readStore, requireProfile, shellWord, type Store } from './profiles/store.ts';
import type { CallOptions } from './session.ts';

/** The webhook secret: the given one, else that of the profile or of the environment. */
export function signingSecret(
  { env, home }: Host,
  { profile }: Pick<CallOptions, 'profile'>,
  given?: string,
): string | undefined {
  if (given !== undefined) return readWebhookSecret(given);
  const store = () => readStore(configFolder(env, home));
  if (profile !== undefined) return profile === local ? undefined : required(store(), profile);
  const { BIZMSG_WEBHOOK_SECRET: text, BIZMSG_PROFILE: named } = env;
  if (text !== undefined) return variable('BIZMSG_WEBHOOK_SECRET', text, readWebhookSecret);
  if (named !== undefined)
    return named === local ? undefined : checked(requireProfile(store(), named).webhookSecret, named);
  const found = store();
  // A profile in use that is gone hinders nobody here.
  return found.current === undefined
    ? undefined
    : checked(profileOf(found, found.current)?.webhookSecret, found.current);
}

/** Earlier versions stored secrets of any length. */
function checked(secret: string | undefined, profile: string): string | undefined {
  const fault = secret === undefined ? undefined : webhookSecretFault(secret);
  if (fault === undefined) return secret;
  const hint = `store the right one with bizmsg profiles set ${shellWord(profile)} --webhook-secret-stdin`;
  throw configuration('bad-secret', `the webhook secret of the profile "${profile}" ${fault}`, hint);
}

/** Which secret that is, where there is one. */
export function secretOwner({ env, home }: Host, { profile }: Pick<CallOptions, 'profile'>): string {
  if (profile === undefined && env['BIZMSG_WEBHOOK_SECRET'] !== undefined) return 'the secret in BIZMSG_WEBHOOK_SECRET';
  const name = profile ?? env['BIZMSG_PROFILE'] ?? readStore(configFolder(env, home)).current;
  return `the secret of the profile "${name}"`;
}

/** Who names a profile means its secret and no other. */
function required(store: Store, name: string): string {
  const webhookSecret = checked(requireProfile(store, name).webhookSecret, name);
  if (webhookSecret !== undefined) return webhookSecret;
  const hint = `store one with bizmsg profiles set ${shellWord(name)} --webhook-secret-stdin`;
  throw configuration('no-secret', `the profile "${name}" has no webhook secret`, hint);
}
