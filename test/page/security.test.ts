import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpRequest } from '../../src/base/http-request.ts';
import { raw } from '../sandbox/served.ts';
import { newHome } from '../support/fake-service.ts';
import { firstSteps, noBrowser, rowsOn, startApart, useBrowser, useSandbox } from './browser.ts';

const shown = useSandbox();
const files = ['/__sandbox/', '/__sandbox/page.js', '/__sandbox/page.css'];

function get(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return raw(port(), `GET ${path} HTTP/1.1\r\n${lines.join('')}connection: close\r\n\r\n`);
}

function port(): number {
  return Number(new URL(shown.url).port);
}

const local = () => ({ host: `127.0.0.1:${port()}` });

describe.each(files)('%s', (path) => {
  it('needs no token, and contains no data', async () => {
    const { status, body } = await httpRequest(shown.url + path, { method: 'GET' });
    expect(status).toBe(200);
    const { sandbox, token } = shown;
    for (const secret of [sandbox.keys.sandbox, sandbox.keys.live, sandbox.secret(), token])
      expect(body).not.toContain(secret);
  });

  it.each([
    ['a foreign host', () => ({ host: 'evil.example' })],
    ['a foreign host on the same port', () => ({ host: `evil.example:${port()}` })],
    ['a foreign origin', () => ({ ...local(), origin: 'https://evil.example' })],
  ])('is refused to %s', async (_, headers) => {
    expect(await get(path, headers())).toMatch(/^HTTP\/1.1 403 /);
  });

  it('allows only its own files, and no frame around it', async () => {
    const { headers } = await httpRequest(shown.url + path, { method: 'GET' });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(headers).toMatchObject({
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('set-cookie');
  });
});

it.each([
  ['a foreign host', () => ({ host: 'evil.example', 'x-sandbox-token': shown.token })],
  ['a foreign origin', () => ({ ...local(), origin: 'https://evil.example', 'x-sandbox-token': shown.token })],
  ['no token', local],
  ['a wrong token', () => ({ ...local(), 'x-sandbox-token': 'wrong' })],
])('the stream is refused to %s', async (_, headers) => {
  const answer = await get('/__sandbox/stream', headers());
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).not.toContain('data:');
});

describe.skipIf(noBrowser)(`the page (${noBrowser ?? 'in chromium'})`, () => {
  const tabs = useBrowser();

  it.each([
    ['with a wrong token', '#t=00'],
    ['without a token', ''],
  ])('shows no data %s, and says how to get a link', async (_, fragment) => {
    await shown.send('+12025550101', 'welcome');
    const page = await tabs.open(`${shown.url}/__sandbox/${fragment}`);
    await page.getByText('bizmsg sandbox open').waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('Welcome');
    expect(await rowsOn(page).count()).toBe(0);
  });

  it('sends its token to no program that takes the port of a sandbox that has ended', async () => {
    const { url, link, run, kill } = await startApart(newHome());
    const page = await tabs.open(await link(), { expected: /status of 404/ });
    await firstSteps(page).waitFor();
    await run('sandbox', 'stop');
    await kill();
    const asked: IncomingMessage[] = [];
    const other = createServer((request, response) => {
      asked.push(request);
      response.writeHead(404).end('{}');
    }).listen(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => other.close().closeAllConnections());
    for (const screen of ['Data', 'Setup', 'Activity']) await page.getByRole('link', { name: screen }).click();
    await expect.poll(() => asked.length).toBeGreaterThan(3);
    const isOdd = ({ url = '', headers }: IncomingMessage) =>
      headers['x-sandbox-token'] || !url.includes('/proof?nonce=');
    expect(asked.filter(isOdd)).toEqual([]);
  });

  it('keeps its token from other tabs and from the history', async () => {
    const page = await tabs.open(shown.link);
    await firstSteps(page).waitFor();
    const kept = await page.evaluate('[location.href, document.cookie, JSON.stringify(localStorage)].join()');
    expect(kept).not.toContain(shown.token);
    const other = await tabs.open(`${shown.url}/__sandbox/`);
    await other.getByText('bizmsg sandbox open').waitFor();
  });
});
