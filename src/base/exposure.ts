import { type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { type CliError, configuration } from './errors.ts';
import { fsError, namesIn } from './files.ts';
import { shellQuote } from './shell-quote.ts';

/** A file or folder that other users can change. */
export interface Exposure {
  readonly path: string;
  /** The owner's uid, if it is another user. */
  readonly owner: number | undefined;
  /** Whether this user may change its mode. */
  readonly isOurs: boolean;
  readonly isFolder: boolean;
}

/** Returns who else can change a file or folder; undefined if no other user can, or if it is not accessible. */
export function exposureOf(path: string): Exposure | undefined {
  const found = statsOf(path);
  const me = ownUser();
  if (!found || me === undefined) return undefined;
  // Root can change everything anyway.
  const owner = found.uid === me || found.uid === 0 ? undefined : found.uid;
  if (owner === undefined && !isWritableByOthers(found, me)) return undefined;
  return { path, owner, isOurs: found.uid === me, isFolder: found.isDirectory() };
}

/** Throws if other users can change a file or folder, so that its content cannot be trusted. */
export function requireOwn(path: string): void {
  const exposure = exposureOf(path);
  if (exposure) throw notOwn(exposure);
}

/** Lists a folder; throws if other users can change it. */
export function ownNamesIn(folder: string): readonly string[] {
  requireOwn(folder);
  return namesIn(folder);
}

export function exposedBy({ path, owner }: Exposure): string {
  return owner === undefined ? `other users can write to ${path}` : `${path} belongs to another user (uid ${owner})`;
}

function notOwn(exposure: Exposure): CliError {
  return configuration('not-own', exposedBy(exposure), remedyFor(exposure));
}

function remedyFor({ path, isOurs, isFolder }: Exposure): string {
  const word = shellQuote(path);
  if (isOurs) return `check that everything in it is yours, then run chmod go-w ${word}`;
  return isFolder ? 'set BIZMSG_STATE_DIR to a folder of your own' : `remove it: rm ${word}`;
}

/** A group with the number of the user is the user's private group on most Linux systems. */
function isWritableByOthers({ mode, uid, gid }: Stats, me: number): boolean {
  const isPrivateGroup = uid === me && gid === me;
  return (mode & (isPrivateGroup ? 0o002 : 0o022)) !== 0;
}

/** Undefined if it does not exist, or cannot be seen. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (fsError(error)) return undefined;
    throw error;
  }
}

/** The user of this process; undefined on Windows. A user in a container may not be in the user database. */
export function ownUser(): number | undefined {
  const uid = statsOf('/proc/self')?.uid ?? userInfo().uid;
  return uid < 0 ? undefined : uid;
}
