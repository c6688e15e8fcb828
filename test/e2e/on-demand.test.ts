import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { bin } from '../support/bin.ts';
import { sandboxHome } from '../support/fake-service.ts';
import { modeOf, ownFile, ownFolder } from '../support/system.ts';

const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', '1', '--profile', 'local'];

async function running(home: string): Promise<readonly { readonly pid: number; readonly url: string }[]> {
  return JSON.parse((await bin(['sandbox', 'status', '-o', 'json'], { home })).stdout);
}

it('starts one sandbox when eight commands need it at the same time', async () => {
  const home = sandboxHome();
  const sent = await Promise.all(Array.from({ length: 8 }, () => bin(send, { home })));
  expect(sent.map(({ code, stderr }) => [code, stderr.includes('error')])).toEqual(sent.map(() => [0, false]));
  expect(new Set(sent.map(({ stdout }) => stdout)).size).toBe(8);
  expect(await running(home)).toHaveLength(1);
  const state = join(home, '.local/state/bizmsg');
  const modes = readdirSync(state, { recursive: true, encoding: 'utf8' }).map((name) => modeOf(join(state, name)));
  expect(new Set(modes)).toEqual(new Set([ownFile, ownFolder]));
});

it('keeps its port after kill -9, also one that was chosen', async () => {
  const home = sandboxHome();
  await bin(['sandbox', 'start', '--background', '--port', '0'], { home });
  const [before] = await running(home);
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await bin(send, { home });
  expect(await running(home)).toMatchObject([{ url: before?.url }]);
});

it('is ready again for the same options, and refuses others', async () => {
  const home = sandboxHome();
  const start = (plan: string) => bin(['sandbox', 'start', '--background', '--plan', plan], { home });
  const { stdout } = await start('starter');
  expect(await start('starter')).toMatchObject({ code: 0, stdout });
  const { code, stderr } = await start('growth');
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/, started with --plan=starter\n {2}stop it with bizmsg sandbox stop/),
  ]);
});

it.each([
  ['the command that needs it', send],
  ['start --background', ['sandbox', 'start', '--background']],
])('starts again if its state is damaged, and %s says so once', async (_, words) => {
  const home = sandboxHome();
  const data = join(home, '.local/state/bizmsg/sandbox');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(join(data, 'state.json'), '{"version":1');
  const { code, stderr } = await bin(words, { home });
  expect([code, stderr.match(/note: the state of the sandbox is damaged/g)]).toEqual([0, [expect.any(String)]]);
  expect((await bin(words, { home })).stderr).not.toContain('damaged');
});

it('answers with the key of sandbox env in another home, and without one', async () => {
  const home = sandboxHome();
  const { stdout } = await bin(['sandbox', 'env', '-o', 'json'], { home });
  const env: Readonly<Record<string, string>> = JSON.parse(stdout);
  for (const other of [sandboxHome(), '/proc/nowhere'])
    expect(await bin(['send-template', '+12025550101', 'welcome'], { home: other, env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^msg_sandbox_/),
    });
  expect(JSON.parse((await bin(['sandbox', 'log', '--type', 'messages', '-o', 'json'], { home })).stdout)).toHaveLength(
    2,
  );
});

it('moves the log of a background sandbox when the sandbox starts', async () => {
  const home = sandboxHome();
  const log = join(home, '.local/state/bizmsg/sandbox.log');
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  writeFileSync(log, 'before\n', { mode: 0o600 });
  await bin(send, { home });
  expect(readFileSync(`${log}.1`, 'utf8')).toBe('before\n');
  expect(readFileSync(log, 'utf8')).toMatch(/^Ready http\S+/);
});
