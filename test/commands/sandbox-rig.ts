import { manualClock } from '../../src/sandbox/time/clock.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { start } from '../sandbox/calls.ts';
import { cli, type CliOptions, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

export interface LocalSandbox {
  readonly home: string;
  readonly sandbox: Sandbox;
  run(line: string, options?: Partial<CliOptions>): Promise<Ran>;
}

/** A home whose local sandbox runs in this process, with a frozen clock. */
export async function local(options: SandboxOptions = {}): Promise<LocalSandbox> {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(start), ...options });
  return { home, sandbox, run: (line, given = {}) => cli(line.split(' '), { home, ...given }) };
}
