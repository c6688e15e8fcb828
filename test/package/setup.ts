import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed file. */
    tarball: string;
    /** A project in which only the package is installed. */
    project: string;
    /** The output of npm install. */
    npmOutput: string;
  }
}

/** Whether this Node has it. */
export const hasSqlite = process.getBuiltinModule('node:sqlite') !== undefined;
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Installs `TARBALL`, or packs one, as a user would. Node 20 needs the optional dependency, for which it may run no script;
 * newer ones do without it, and without a network.
 */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-package-'));
  const tarball = process.env['TARBALL'] ?? pack(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
  const how = hasSqlite ? ['--offline', '--omit=optional'] : ['--ignore-scripts'];
  const npmOutput = npm(['install', ...how, '--no-audit', '--foreground-scripts', tarball], { folder, cwd: project });
  provide('tarball', tarball);
  provide('project', project);
  provide('npmOutput', npmOutput);
  return () => rmSync(folder, { recursive: true, force: true });
}

function pack(folder: string): string {
  return join(folder, npm(['pack', '--silent', '--pack-destination', folder], { folder, cwd: root }).trim());
}

interface Where {
  readonly folder: string;
  readonly cwd: string;
}

/** Runs npm with this version of Node, without the machine's settings. */
function npm(argv: readonly string[], { folder, cwd }: Where): string {
  const env = { HOME: folder, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}` };
  return execFileSync('sh', ['-c', 'exec npm "$@" 2>&1', 'npm', ...argv], { cwd, env, encoding: 'utf8' });
}
