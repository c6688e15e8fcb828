import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { defaultData } from '../../src/sandbox/remote/locator.ts';
import { findRunning, type RunningSandbox } from '../../src/sandbox/remote/running.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { serve, type ServeOptions } from '../../src/sandbox/serve.ts';
import { later } from './cli.ts';

/** Serves the sandbox that `--profile local` uses in this home, during the test. */
export async function serveLocal(home: string, options: SandboxOptions = {}): Promise<Sandbox> {
  const stateFolder = join(home, '.local/state/bizmsg');
  const served = await serve(serveOptions(stateFolder, options));
  void served.ending.then(() => served.close());
  onTestFinished(() => served.close());
  return served.sandbox;
}

/** The sandbox that `--profile local` uses. */
export async function defaultSandbox(stateFolder: string): Promise<RunningSandbox | undefined> {
  return (await findRunning(stateFolder, ({ data }) => data === defaultData(stateFolder)))[0];
}

/** Options that serve a sandbox from the default data folder. */
export function serveOptions(stateFolder: string, options: SandboxOptions = {}): ServeOptions {
  return {
    sandbox: (file) => createSandbox({ file, ...options }),
    stateFolder,
    data: defaultData(stateFolder),
    port: 0,
    background: false,
    build: 'source',
    host: { pid: process.pid, now: Date.now, later, sqlite: loadSqlite },
  };
}
