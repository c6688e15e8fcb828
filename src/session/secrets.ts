import { CliError, configuration, usage } from '../base/errors.ts';
import { redact } from '../base/redact.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { type CommandLine, variable } from './caller.ts';
import { configFolder } from './folders.ts';
import { local, readWebhookSecret } from './profiles/fields.ts';
import { readStore, requireProfile, type Store } from './profiles/store.ts';
import type { Session } from './session.ts';

/** The webhook secret: `text` if given, otherwise from the profile or the environment. It is never printed. */
export function signingSecret(session: Session, text?: string): string | undefined {
  const secret = text === undefined ? storedSecret(session) : readWebhookSecret(text);
  if (secret !== undefined) session.reporter.hide(secret);
  return secret;
}

/** Describes where the stored secret comes from. */
export function secretOwner(line: CommandLine): string {
  return isInEnvironment(line) ? 'the secret in BIZMSG_WEBHOOK_SECRET' : `the secret of the profile "${nameOf(line)}"`;
}

function isInEnvironment({ host, given }: CommandLine): boolean {
  return given.profile === undefined && host.env['BIZMSG_WEBHOOK_SECRET'] !== undefined;
}

function nameOf({ host, given }: CommandLine): string | undefined {
  return given.profile ?? host.env.BIZMSG_PROFILE ?? readStore(configFolder(host)).current;
}

function storedSecret(line: CommandLine): string | undefined {
  const { env } = line.host;
  if (isInEnvironment(line))
    return variable('BIZMSG_WEBHOOK_SECRET', env['BIZMSG_WEBHOOK_SECRET'] ?? '', readWebhookSecret);
  const name = nameOf(line);
  if (name === undefined || name === local) return undefined;
  const { webhookSecret } = requireProfile(readStore(configFolder(line.host)), name);
  if (webhookSecret !== undefined || line.given.profile === undefined) return webhookSecret;
  const hint = `store one with bizmsg profiles set ${shellQuote(name)} --webhook-secret-stdin`;
  throw configuration('no-secret', `the profile "${name}" has no webhook secret`, hint);
}

/** The keys, webhook secrets and teams of the environment and of all stored profiles. They are never printed. */
export async function knownSecrets({ host }: Pick<Session, 'host'>): Promise<readonly string[]> {
  const { BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, BIZMSG_TEAM } = host.env;
  const stored = Object.values(readableProfiles(host)).flatMap(({ keys, webhookSecret, team }) => [
    keys.sandbox,
    keys.live,
    webhookSecret,
    team,
  ]);
  const all = [BIZMSG_API_KEY, BIZMSG_WEBHOOK_SECRET, BIZMSG_TEAM, ...stored];
  return all.map((text = '') => text.trim()).filter(({ length }) => length >= shortestKnown);
}

/** Refuses keys in texts that are sent or recorded, such as a template's name. */
export function refuseKeys(texts: readonly string[], secrets: readonly string[]): void {
  const text = texts.find((text) => redact(text, secrets) !== text);
  if (text === undefined) return;
  throw usage(`"${redact(text, secrets)}" contains a key`, 'pass a key with BIZMSG_API_KEY or a profile');
}

/** Shorter texts may be part of a word by chance. */
const shortestKnown = 8;

/** Empty if the store is damaged, since this command may not need a profile. */
function readableProfiles(host: Session['host']): Store['profiles'] {
  try {
    return readStore(configFolder(host)).profiles;
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}
