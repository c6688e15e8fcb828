import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Ran } from './cli.ts';
import { homeEnv, isWindows, posixOnly } from './system.ts';

export const binary = fileURLToPath(new URL('../../bin/bizmsg.js', import.meta.url));
/** The command under test. */
export const program = [process.execPath, binary] as const;
/** The same for shell scripts. */
export const programText = program.map((word) => `'${word}'`).join(' ');

export interface BinOptions {
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | undefined;
  /** The working directory. */
  readonly cwd?: string | undefined;
}

/** Runs the binary with an environment of its own. */
export function bin(argv: readonly string[], options: BinOptions): Promise<Ran> {
  return run([...program, ...argv], options);
}

/** Runs another program in the same way. */
export async function run([file = '', ...words]: readonly string[], options: BinOptions): Promise<Ran> {
  const { home, env, input = '', cwd } = options;
  const usual = { env: cleanEnv(home, env), extendEnv: false, reject: false, stripFinalNewline: false } as const;
  const { exitCode, stdout, stderr } = await execa(file, words, { ...usual, input, cwd });
  return { code: exitCode ?? -1, stdout, stderr };
}

export type Running = ReturnType<typeof startBin>;

/** Starts the binary, or a program that runs it, in a session without a terminal. */
export function startBin(
  argv: readonly string[],
  { home, env, input = '', cwd }: BinOptions,
  under: readonly string[] = [],
) {
  const [file = '', ...words] = [...under, ...program, ...argv];
  const child = spawn(file, words, { env: cleanEnv(home, env), detached: true, cwd });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (part: Buffer) => (text.stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (text.stderr += part.toString()));
  // It may end before it reads all.
  child.stdin.on('error', () => {}).end(input);
  /** The exit code. */
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
    // The children of a killed process may keep its output open.
    child.on('exit', (code) => code ?? resolve(code));
  });
  // The output so far.
  const [stdout, stderr] = [() => text.stdout, () => text.stderr];
  return { pid: child.pid ?? 0, stdout, stderr, ended };
}

export function cleanEnv(home: string, env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...homeEnv(home), PATH: process.env['PATH'] ?? '', ...env };
}

/** Installs the binary under test as `bizmsg`, like `npm link`; returns the PATH. */
export function installIn(home: string): string {
  posixOnly('they run a POSIX shell');
  const folder = join(home, 'bin');
  const file = join(folder, 'bizmsg');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `#!/bin/sh\nexec ${programText} "$@"\n`);
  chmodSync(file, 0o755);
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** A new home folder. */
export function temporaryHome(parent = tmpdir()): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(parent, 'bizmsg-test-'));
  return { path, remove: () => removeFolder(path) };
}

/** A process that is ending may add a file meanwhile. */
function removeFolder(path: string, attempts = 5): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    // There, a file that this process has open cannot be removed.
    if (attempts === 1 && isWindows) return;
    if (attempts === 1) throw error;
    removeFolder(path, attempts - 1);
  }
}
