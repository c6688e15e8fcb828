import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { copies } from '../../src/page/copies.ts';
import { binary, cleanEnv, temporaryHome } from '../support/bin.ts';
import { serveLocal } from '../support/local.ts';
import { locatorsIn } from '../../src/sandbox/remote/locator.ts';

const run = promisify(execFile);
const params = [`-5 O'Neill "$HOME" \`id\` \\ %s`, '\u202E-o\n😀'];

it.each(copies.map(({ name, text }) => [name, text] as const))(
  'the copy as %s sends the same message',
  async (name, text) => {
    const home = temporaryHome();
    onTestFinished(() => home.remove());
    const sandbox = await serveLocal(home.path);
    const [{ url } = { url: '' }] = locatorsIn(join(home.path, '.local/state/bizmsg'));
    const message = { to: '+12025550101', template: 'order_update', params };
    const env = cleanEnv(home.path, { BIZMSG_API_KEY: sandbox.keys.sandbox, BIZMSG_BASE_URL: url });
    const copied = text(message);
    if (name === 'fetch') await run(process.execPath, ['--input-type=module', '-e', copied], { env });
    else await run('bash', ['-c', `bizmsg() { '${process.execPath}' '${binary}' "$@"; }\n${copied}`], { env });
    expect(sandbox.messages()).toMatchObject([message]);
  },
);
