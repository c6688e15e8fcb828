import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { alive, later } from './cli.ts';

/** Serves the sandbox that `--profile local` uses in this home, during the test. */
export async function serveLocal(home: string, options: SandboxOptions = {}): Promise<Sandbox> {
  const stateFolder = join(home, '.local/state/bizmsg');
  const served = await serve({
    sandbox: (journal) => createSandbox({ journal, ...options }),
    stateFolder,
    data: join(stateFolder, 'sandbox'),
    port: 0,
    build: 'source',
    pid: process.pid,
    background: false,
    kill: alive,
    now: Date.now,
    later,
  });
  void served.ending.then(() => served.close());
  onTestFinished(() => served.close());
  return served.sandbox;
}
