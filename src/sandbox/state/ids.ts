import { createHash, randomBytes } from 'node:crypto';

/** Generates numbers in [0, 1) from a seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function seedNumber(text: string): number {
  return createHash('sha256').update(text).digest().readInt32LE();
}

export interface Ids {
  /** Returns an identifier, unique as long as the serial grows. */
  id(prefix: string, serial: number): string;
  /** Returns the serial of an identifier from this ids; undefined for other identifiers. */
  serialOf(id: string): number | undefined;
  random(serial: number): () => number;
}

/** Derives identifiers and draws from the seed and a serial number, so a restart neither repeats nor changes a value. */
export function createIds(seed: string): Ids {
  const digest = (label: string) => createHash('sha256').update(`${label}:${seed}`).digest();
  const run = digest('run').toString('hex').slice(0, 10);
  const base = digest('draws').readInt32LE();
  return {
    id: (prefix, serial) => `${prefix}_${run}${serial.toString(36).padStart(6, '0')}`,
    serialOf: (id) => {
      const [, own, serial = ''] = /_([0-9a-f]{10})([0-9a-z]{6,9})$/.exec(id) ?? [];
      return own === run ? Number.parseInt(serial, 36) : undefined;
    },
    random: (serial) => createRandom(base ^ Math.imul(serial, 0x9e3779b1)),
  };
}

/** Keys and secrets do not depend on the seed: anyone who knows it could use them. */
export function newKey(prefix: string): string {
  return prefix + randomBytes(16).toString('hex');
}

/** A webhook secret in the format of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Identifies the data of a sandbox, so that clients recognize what they sent to it. It does not depend on the seed, because
 * two sandboxes with the same seed hold different data.
 */
export function newDataId(): string {
  return randomBytes(6).toString('hex');
}
