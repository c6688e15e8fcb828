import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { serve } from '../client/servers.ts';
import { accountKeys, openApi } from '../support/api.ts';
import { bin } from '../support/bin.ts';
import type { Ran } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

const key = accountKeys.sandbox;
const password = 'Kd8sPq2v';
// Output of Node with NODE_DEBUG, such as "HTTP 4711: call onSocket".
const debugLine = /^[A-Z]+ \d+: /m;

describe.each(['http,net,tls,undici', '*'])('with NODE_DEBUG=%s', (modules) => {
  it.each([
    ['a GET', ['contacts', 'list']],
    ['a POST', ['contacts', 'create', '--set', 'phone=+12025550142']],
    ['an import, over the connection pool', ['contacts', 'import', 'rows.csv']],
  ])('%s does not print the key', async (_, argv) => {
    const home = newHome();
    writeFileSync(join(home, 'rows.csv'), 'phone,name\n+12025550142,Ada\n');
    const service = await serve((_seen, _request, response) => response.end('{"data":[],"id":"cnt_1"}'));
    const words = argv.map((word) => (word === 'rows.csv' ? join(home, word) : word));
    const ran = await bin(words, { home, env: { ...callerOf(service.url, key), NODE_DEBUG: modules } });
    expect(service.seen.map(({ headers }) => headers.authorization)).toContain(`Bearer ${key}`);
    expect(ran.stderr).toMatch(debugLine);
    expect(shownIn(ran, [key])).toEqual([]);
  });

  it.each([
    ['a GET', ['contacts', 'list']],
    ['doctor', ['doctor']],
  ])("%s through a proxy prints neither the key nor the proxy's password", async (_, argv) => {
    const home = newHome();
    const { HTTPS_PROXY: proxy = '', ...trust } = await openApi();
    const env = {
      ...callerOf('https://api.example.com', key),
      ...trust,
      HTTPS_PROXY: proxy.replace('//', `//ada:${password}@`),
      NODE_DEBUG: modules,
    };
    const ran = await bin(argv, { home, env });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(debugLine) });
    expect(shownIn(ran, [key, password, Buffer.from(`ada:${password}`).toString('base64')])).toEqual([]);
  });

  it('a command that controls the local sandbox prints neither its keys nor its token', async () => {
    const home = newHome();
    const { keys } = await serveLocal(home);
    const ran = await bin(['sandbox', 'set'], { home, env: { NODE_DEBUG: modules } });
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(debugLine) });
    expect(shownIn(ran, [keys.sandbox, keys.live, tokenIn(home)])).toEqual([]);
  });
});

function shownIn({ stdout, stderr }: Ran, secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => (stdout + stderr).includes(secret.replace(/^sk_(test|live)_/, '')));
}

/** The token for the control interface of this home's sandbox. */
function tokenIn(home: string): string {
  const folder = join(home, '.local/state/bizmsg/sandboxes');
  const [name = ''] = readdirSync(folder);
  const locator: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return isRecord(locator) ? String(locator['token']) : '';
}
