import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

interface Announced<T> {
  /** What `start` returned. */
  readonly running: T;
  readonly url: string;
  readonly port: number;
}

/** Starts a listener, and resolves once other commands can find it. */
export async function announced<T>(home: string, start: () => T): Promise<Announced<T>> {
  const folder = join(home, '.local/state/bizmsg/listeners');
  const files = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []);
  const before = new Set(files());
  const running = start();
  const found = () => files().find((name) => !before.has(name));
  await expect.poll(found, { timeout: 30_000 }).toBeDefined();
  const { url, port } = JSON.parse(readFileSync(join(folder, found() ?? ''), 'utf8'));
  return { running, url: url.replace(/\/$/, ''), port };
}
