import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { Locator } from '../../src/sandbox/remote/locator.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { cleanEnv, temporaryHome } from './bin.ts';
import { cli, type CliOptions, type Ran } from './cli.ts';
import { serveOptions } from './local.ts';

export interface World {
  readonly home: string;
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly locator: Locator;
  /** An environment that calls the sandbox with its full sandbox key. */
  readonly env: Readonly<Record<string, string>>;
  readonly binEnv: Readonly<Record<string, string>>;
  run(argv: readonly string[], options?: Partial<CliOptions>): Promise<Ran>;
  close(): Promise<void>;
}

/** Serves a sandbox on a free port, with a new home and an environment that calls it. */
export async function openWorld(options: SandboxOptions = {}): Promise<World> {
  const home = temporaryHome();
  const stateFolder = join(home.path, '.local/state/bizmsg');
  const served = await serve({ ...serveOptions(stateFolder, options), data: null });
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
    close: async () => {
      await served.close();
      home.remove();
    },
  };
}

/** The same until the end of a test. */
export async function newWorld(options?: SandboxOptions): Promise<World> {
  const world = await openWorld(options);
  onTestFinished(() => world.close());
  return world;
}
