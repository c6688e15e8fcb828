import { isRecord } from '../../src/contract/readers.ts';
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
  breakNextSend(): Promise<void>;
  /** Number of send requests that reached the sandbox. */
  sent(): Promise<number>;
}

/** A home with a running local sandbox, and nothing sent yet. */
export async function openMachine(home = newHome()): Promise<Machine> {
  const sandbox = await serveLocal(home);
  sandbox.keys.goLive();
  const run: Machine['run'] = (words, options) => cli([...words, '--profile', 'local'], { home, ...options });
  const json = async (...words: readonly string[]): Promise<unknown> =>
    JSON.parse((await cli([...words, '-o', 'json'], { home })).stdout);
  return {
    home,
    sandbox,
    run,
    live: (words, options) => run([...words, '--mode', 'live'], options),
    breakNextSend: async () => {
      await cli('sandbox fault send-template=reset --after --times 1'.split(' '), { home });
    },
    sent: async () => {
      const requests = await json('sandbox', 'log', '--type', 'requests', '--limit', '1000');
      const isSend = (one: unknown) =>
        isRecord(one) && String(one['endpoint'] ?? one['path']).includes('send-template');
      return Array.isArray(requests) ? requests.filter(isSend).length : 0;
    },
  };
}
