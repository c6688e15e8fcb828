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

export type Ids = ReturnType<typeof createIds>;

/** Derives ids and random numbers from the seed and a serial, so that a restart neither repeats nor changes a value. */
export function createIds(state: { readonly seed: string; serial: number }) {
  const digest = (label: string) => createHash('sha256').update(`${label}:${state.seed}`).digest();
  const run = digest('run').toString('hex').slice(0, 10);
  const base = digest('draws').readInt32LE();
  return {
    id: (prefix: string) => `${prefix}_${run}${(++state.serial).toString(36).padStart(6, '0')}`,
    /** The same label always gives the same numbers. FNV-1a: each message has one. */
    random: (label: string) =>
      createRandom(Buffer.from(label).reduce((mixed, byte) => Math.imul(mixed ^ byte, 0x01000193), base)),
  };
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
