import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { cleanEnv, temporaryHome } from './bin.ts';
import { cli, type CliOptions } from './cli.ts';
import { serveOptions } from './local.ts';

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Serves a sandbox on a free port, with a new home and an environment that calls it. */
export async function openWorld(options: SandboxOptions = {}) {
  const home = temporaryHome();
  const stateFolder = join(home.path, '.local/state/bizmsg');
  const served = await serve({ ...serveOptions(stateFolder, options), data: null });
  const { sandbox, locator } = served;
  const env: Readonly<Record<string, string>> = { BIZMSG_BASE_URL: locator.url, BIZMSG_API_KEY: sandbox.keys.sandbox };
  return {
    home: home.path,
    sandbox,
    url: locator.url,
    locator,
    /** An environment that calls the sandbox with its full sandbox key. */
    env,
    binEnv: cleanEnv(home.path, env),
    run: (argv: readonly string[], options?: Partial<CliOptions>) => cli(argv, { home: home.path, env, ...options }),
    /** Writes a file in the home; returns its path. */
    write(name: string, content: string | Buffer): string {
      const path = join(home.path, name);
      writeFileSync(path, content);
      return path;
    },
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
