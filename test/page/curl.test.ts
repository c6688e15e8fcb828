import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { curlOf } from '../../src/page/words.ts';
import { cleanEnv, temporaryHome } from '../support/bin.ts';
import { serveLocal } from '../support/local.ts';
import { locatorsIn } from '../../src/sandbox/remote/locator.ts';

const run = promisify(execFile);
const params = [`-5 O'Neill "$HOME" \`id\` \\ %s`, '\u202E-o\n😀'];

it('the copy as curl sends the same message', async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const sandbox = await serveLocal(home.path);
  const [{ url } = { url: '' }] = locatorsIn(join(home.path, '.local/state/bizmsg'));
  const message = { to: '+12025550101', template: 'order_update', params };
  const env = cleanEnv(home.path, { BIZMSG_API_KEY: sandbox.keys.sandbox, BIZMSG_BASE_URL: url });
  await run('bash', ['-c', curlOf(message)], { env });
  expect(sandbox.messages()).toMatchObject([message]);
});
