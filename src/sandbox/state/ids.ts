import { createHash, randomBytes } from 'node:crypto';

/** Numbers in [0, 1) that a number determines (mulberry32). */
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
  /** An identifier that no later one repeats, as long as the serial grows. */
  id(prefix: string, serial: number): string;
  /** That of an identifier which is this ids's own. */
  serialOf(id: string): number | undefined;
  key(prefix: string, serial: number): string;
  /** Without a serial, the first. */
  secret(serial?: number): string;
  random(serial: number): () => number;
}

/** Everything drawn follows from the seed and a serial number, so that a restart neither repeats nor changes it. */
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
    key: (prefix, serial) => prefix + digest(`key ${serial}`).toString('hex').slice(0, 32),
    // a secret in the form of Standard Webhooks
    secret: (serial) => `whsec_${digest(serial === undefined ? 'secret' : `secret ${serial}`).toString('base64')}`,
    random: (serial) => createRandom(base ^ Math.imul(serial, 0x9e3779b1)),
  };
}

/**
 * Identifies what a sandbox holds, so that clients know what was sent to it before. It does not follow from the seed: two
 * sandboxes with the same seed hold different data.
 */
export function newDataId(): string {
  return randomBytes(6).toString('hex');
}
