import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Ran } from './cli.ts';

export const binary = new URL('../../bin/bizmsg.js', import.meta.url).pathname;

export interface BinOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** The real binary, with an environment that holds nothing but a home. */
export async function bin(argv: readonly string[], { home, env, input = '' }: BinOptions): Promise<Ran> {
  const ran = await execa(process.execPath, [binary, ...argv], {
    env: cleanEnv(home, env),
    extendEnv: false,
    input,
    reject: false,
    stripFinalNewline: false,
  });
  return { code: ran.exitCode ?? -1, stdout: ran.stdout, stderr: ran.stderr };
}

export function cleanEnv(home: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { HOME: home, PATH: process.env['PATH'] ?? '', ...env };
}

/** A home of its own, gone when the test is. */
export function temporaryHome(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'bizmsg-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
