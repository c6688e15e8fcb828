import { createHash } from 'node:crypto';
import { join } from 'node:path';

export type RunKind = 'import' | 'batch';

/** What makes a run this one and no other. */
export interface Identity extends Circumstances {
  /** The SHA-256 of the input's bytes, in hex. */
  readonly content: string;
  /** The absolute path of the input; stdin has none. */
  readonly file: string | undefined;
}

/** All but the input. */
export interface Circumstances {
  readonly kind: RunKind;
  /** In one canonical text. */
  readonly mapping: string;
  readonly template?: string | undefined;
  readonly address: string;
  readonly mode: string;
  /** See `keyDigest`; never the key. */
  readonly keyDigest: string;
}

/** By which a key is known again, and which does not give it away. */
export function keyDigest(key: string): string {
  return digest([key]).slice(0, 16);
}

/** Short enough to be typed. */
export function runId(identity: Identity): string {
  return digest([identity.content, ...circumstances(identity)]).slice(0, 10);
}

/** The same for all contents that a file has over time. */
export function placeOf(identity: Identity): string | null {
  return identity.file === undefined ? null : digest([identity.file, ...circumstances(identity)]);
}

export function runsFolder(stateFolder: string): string {
  return join(stateFolder, 'runs');
}

export function runFolder(stateFolder: string, id: string): string {
  return join(runsFolder(stateFolder), id);
}

export function isAlike(one: Circumstances, other: Circumstances): boolean {
  const those = circumstances(other);
  return circumstances(one).every((part, at) => part === those[at]);
}

function circumstances({ kind, template, mapping, address, mode, keyDigest }: Circumstances) {
  return [kind, template ?? null, mapping, address, mode, keyDigest];
}

function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
