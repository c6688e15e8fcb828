import { CliError, configuration, usage } from '../base/errors.ts';
import type { Host } from '../base/host.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { configFolder, variable } from './profiles/environment.ts';
import { readWebhookSecret } from './profiles/fields.ts';
import { local, type Profile, profileOf, readStore, requireProfile, type Store } from './profiles/store.ts';
import type { CallOptions, Session } from './session.ts';

/** The webhook secret: `text` if given, otherwise from the profile or the environment. It is never printed. */
export function signingSecret({ host, given, reporter }: Session, text?: string): string | undefined {
  const secret = text === undefined ? storedSecret(host, given) : readWebhookSecret(text);
  if (secret !== undefined) reporter.hide(secret);
  return secret;
}

/** Describes where the stored secret comes from. */
export function secretOwner({ host: { env, home }, given: { profile } }: Session): string {
  if (profile === undefined && env['BIZMSG_WEBHOOK_SECRET'] !== undefined) return 'the secret in BIZMSG_WEBHOOK_SECRET';
  const name = profile ?? env['BIZMSG_PROFILE'] ?? readStore(configFolder(env, home)).current;
  return `the secret of the profile "${name}"`;
}

/** The webhook secret of the profile or the environment. */
function storedSecret(
  { env, home }: Pick<Host, 'env' | 'home'>,
  { profile }: Pick<CallOptions, 'profile'>,
): string | undefined {
  const store = () => readStore(configFolder(env, home));
  if (profile !== undefined) return profile === local ? undefined : required(store(), profile);
  const { BIZMSG_WEBHOOK_SECRET: text, BIZMSG_PROFILE: named } = env;
  if (text !== undefined) return variable('BIZMSG_WEBHOOK_SECRET', text, readWebhookSecret);
  if (named !== undefined) return named === local ? undefined : requireProfile(store(), named).webhookSecret;
  const found = store();
  // The profile in use may have been removed; this command does not need it.
  return found.current === undefined ? undefined : profileOf(found, found.current)?.webhookSecret;
}

/** A profile that is named with --profile must have a secret. */
function required(store: Store, name: string): string {
  const { webhookSecret } = requireProfile(store, name);
  if (webhookSecret !== undefined) return webhookSecret;
  const hint = `store one with bizmsg profiles set ${shellQuote(name)} --webhook-secret-stdin`;
  throw configuration('no-secret', `the profile "${name}" has no webhook secret`, hint);
}

/** The keys and webhook secrets of the environment and of all stored profiles. They are never printed. */
export async function knownSecrets({ host: { env, home } }: Session): Promise<readonly string[]> {
  const { BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET } = env;
  const profiles = profilesIn(configFolder(env, home));
  const stored = profiles.flatMap(({ keys, webhookSecret }) => [keys.sandbox, keys.live, webhookSecret]);
  return [BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, ...stored].flatMap((text) => {
    const key = text?.trim() ?? '';
    return key.length < shortestKnown ? [] : [key];
  });
}

/** Refuses keys in texts that are sent or recorded, such as a template's name. */
export function refuseKeys(texts: readonly string[], known: readonly string[]): void {
  const hint = 'pass a key with BIZMSG_API_KEY or a profile';
  const likely = texts.find((text) => redact(text) !== text);
  if (likely !== undefined) throw usage(`"${redact(likely, known)}" contains something that looks like a key`, hint);
  const stored = texts.find((text) => redact(text, known) !== text);
  if (stored !== undefined) throw usage(`"${redact(stored, known)}" contains a key stored on this machine`, hint);
}

/** Shorter texts may be part of a word by chance. */
const shortestKnown = 8;

/** Empty if the store is damaged, since this command may not need a profile. */
function profilesIn(folder: string): readonly Profile[] {
  try {
    return Object.values(readStore(folder).profiles);
  } catch (error) {
    if (error instanceof CliError) return [];
    throw error;
  }
}
