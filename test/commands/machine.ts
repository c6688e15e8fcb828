import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { cli, type CliOptions, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

export const message = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'] as const;

export interface Machine {
  readonly home: string;
  readonly sandbox: Sandbox;
  run(words: readonly string[], options?: Partial<CliOptions>): Promise<Ran>;
  /** Runs a command with a live key of the sandbox. */
  live(words: readonly string[], options?: Partial<CliOptions>): Promise<Ran>;
  /** Makes the sandbox process the next send and drop the response. */
  breakNextSend(): void;
  /** Number of send requests that reached the sandbox. */
  sent(): number;
}

/** A home with a running local sandbox, and nothing sent yet. */
export async function openMachine(home = newHome()): Promise<Machine> {
  const sandbox = await serveLocal(home);
  sandbox.keys.goLive();
  const run: Machine['run'] = (words, options) => cli([...words, '--profile', 'local'], { home, ...options });
  return {
    home,
    sandbox,
    run,
    live: (words, options) => run([...words, '--mode', 'live'], options),
    breakNextSend: () =>
      void sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' }, after: true, times: 1 }),
    sent: () => sandbox.requests().filter(({ target }) => target.includes('send-template')).length,
  };
}
