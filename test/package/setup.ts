import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The packed file. */
    tarball: string;
    /** A folder that has it installed, and nothing else. */
    project: string;
    /** What npm said as it did so. */
    said: string;
  }
}

const root = new URL('../..', import.meta.url).pathname;

/** Packs what `TARBALL` does not name, and installs it as a stranger would: with no network, and scripts allowed. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-package-'));
  const tarball = process.env['TARBALL'] ?? pack(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
  const said = npm(['install', '--offline', '--no-audit', '--foreground-scripts', tarball], { folder, cwd: project });
  provide('tarball', tarball);
  provide('project', project);
  provide('said', said);
  return () => rmSync(folder, { recursive: true, force: true });
}

function pack(folder: string): string {
  return join(folder, npm(['pack', '--silent', '--pack-destination', folder], { folder, cwd: root }).trim());
}

interface Where {
  readonly folder: string;
  readonly cwd: string;
}

/** npm under the Node that runs this, with no settings of the machine's. */
function npm(argv: readonly string[], { folder, cwd }: Where): string {
  const env = { HOME: folder, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  return execFileSync('sh', ['-c', 'exec npm "$@" 2>&1', 'npm', ...argv], { cwd, env, encoding: 'utf8' });
}
