import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { Locator } from '../../src/sandbox/remote/locator.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { bin, cleanEnv, temporaryHome } from './bin.ts';
import { alive, cli, type CliOptions, later, type Ran } from './cli.ts';

export interface World {
  readonly home: string;
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly locator: Locator;
  /** An environment that calls the sandbox with its full sandbox key. */
  readonly env: Readonly<Record<string, string>>;
  readonly binEnv: Readonly<Record<string, string>>;
  run(argv: readonly string[], options?: Partial<CliOptions>): Promise<Ran>;
  bin(argv: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Ran>;
  close(): Promise<void>;
}

/** Serves a sandbox on a free port, with a new home and an environment that calls it. */
export async function openWorld(options: SandboxOptions = {}): Promise<World> {
  const home = temporaryHome();
  const served = await serve({
    sandbox: (journal) => createSandbox({ journal, ...options }),
    stateFolder: join(home.path, '.local/state/bizmsg'),
    data: null,
    port: 0,
    build: 'source',
    pid: process.pid,
    background: false,
    kill: alive,
    now: Date.now,
    later,
  });
  const { sandbox, locator } = served;
  const env = { BIZMSG_BASE_URL: locator.url, BIZMSG_API_KEY: sandbox.keys.sandbox };
  return {
    home: home.path,
    sandbox,
    url: locator.url,
    locator,
    env,
    binEnv: cleanEnv(home.path, env),
    run: (argv, given) => cli(argv, { home: home.path, env, ...given }),
    bin: (argv, given = env, input) =>
      bin(argv, { home: home.path, env: given, ...(input !== undefined && { input }) }),
    close: async () => {
      await served.close();
      home.remove();
    },
  };
}
