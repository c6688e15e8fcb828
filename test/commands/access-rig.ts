import { join } from 'node:path';
import { readIfPresent } from '../../src/base/files.ts';
import { cli, type CliOptions, type Ran } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { testKey } from './profile-store.ts';

export const service = 'https://api.example.com';

export interface Access {
  readonly home: string;
  readonly folder: string;
  run(line: string | readonly string[], stdin?: string, options?: Partial<CliOptions>): Promise<Ran>;
  /** Logs in without a call. */
  login(words: string, key?: string): Promise<Ran>;
  /** Undefined on a machine that never had a profile. */
  stored(): string | undefined;
  profiles(): Promise<unknown>;
}

/** A machine of its own. */
export function access(home = newHome()): Access {
  const folder = join(home, '.config/bizmsg');
  const run: Access['run'] = (line, stdin = '', options = {}) =>
    cli(typeof line === 'string' ? line.split(' ') : line, { home, stdin, ...options });
  return {
    home,
    folder,
    run,
    login: (words, key = testKey) => run(`login --no-check --key-stdin --base-url ${service} --profile ${words}`, key),
    stored: () => readIfPresent(join(folder, 'profiles.json')),
    profiles: async () => JSON.parse((await run('profiles list -o json')).stdout),
  };
}
