import { manualClock } from '../../src/sandbox/time/clock.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { start } from '../sandbox/calls.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

/** A home whose local sandbox runs in this process, with a frozen clock. */
export async function local(options: SandboxOptions = {}) {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(start), ...options });
  return {
    home,
    sandbox,
    run: (line: string, more: Partial<CliOptions> = {}) => cli(line.split(' '), { home, ...more }),
  };
}
