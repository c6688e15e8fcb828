import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';

const secret = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';
const url = `redis://bizmsg:long-password@10.0.0.5:6379#${secret}`;
const hidden = /long-password|AbCdEf/;

async function withProfile() {
  const home = newHome();
  const run = (line: string, stdin?: string, env: Readonly<Record<string, string>> = {}) =>
    cli(line.split(' '), { home, env, ...(stdin !== undefined && { stdin }) });
  await run('profiles add acme --base-url https://api.example.com --key-stdin', 'sk_test_AbcdefGh12341234');
  const stored = join(home, '.config/bizmsg/profiles.json');
  return { run, stored };
}

it('prints the URL of a new team alone on stdout, and says once how to store it', async () => {
  const { code, stdout, stderr } = await cli(['team', 'new', 'redis://10.0.0.5'], { home: newHome() });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^redis:\/\/10\.0\.0\.5:6379#[\w-]{43}\n$/)]);
  expect(stderr).toContain('--team-stdin');
  expect(stderr).not.toContain(stdout.trim().split('#')[1]);
});

it('warns of a password on the command line, and reads it from stdin instead', async () => {
  const typed = await cli(['team', 'new', 'redis://:long-password@db'], { home: newHome() });
  expect(typed.stderr).toMatch(/command line.*--url-stdin/);
  expect(typed.stderr).not.toMatch(hidden);
  const piped = await cli(['team', 'new', '--url-stdin'], { home: newHome(), stdin: 'redis://:long-password@db\n' });
  expect(piped.stdout).toMatch(/^redis:\/\/:long-password@db:6379#/);
  expect(piped.stderr).not.toMatch(/command line/);
});

it('names the option that is missing without a terminal', async () => {
  const { code, stderr } = await cli(['team', 'new'], { home: newHome() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--url-stdin')]);
});

it('keeps a team like a key: mode 0600, never shown', async () => {
  const { run, stored } = await withProfile();
  const set = await run('profiles set acme --team-stdin', `${url}\n`);
  expect(set).toMatchObject({ code: 0, stdout: expect.stringContaining('team: redis://10.0.0.5:6379\n') });
  expect(statSync(stored).mode & 0o777).toBe(0o600);
  expect(readFileSync(stored, 'utf8')).toContain(url);
  const shown = await Promise.all(
    ['profiles show acme', 'profiles show acme -o json', 'profiles list -o json', 'whoami --explain'].map((line) =>
      run(line),
    ),
  );
  for (const { stdout, stderr } of [set, ...shown]) expect(stdout + stderr).not.toMatch(hidden);
});

it('refuses what is not the URL of a team, and does not repeat it', async () => {
  const { run } = await withProfile();
  const { code, stderr } = await run('profiles set acme --team-stdin', 'redis://:long-password@db');
  expect([code, stderr]).toEqual([2, expect.stringContaining('the URL of the team has no secret')]);
  expect(stderr).not.toMatch(hidden);
});

it('checks the settings before it asks about the keys', async () => {
  const { run } = await withProfile();
  const line = 'profiles set acme --base-url https://other.example.com --team-stdin';
  const { code, stderr } = await run(line, 'redis://:long-password@db');
  expect([code, stderr]).toEqual([2, expect.stringContaining('the URL of the team has no secret')]);
});

it.each([
  ['replaces', 'profiles set acme --team-stdin', url.replace('10.0.0.5', '10.0.0.6')],
  ['removes', 'profiles set acme --remove-team', ''],
])('%s a team only after a confirmation', async (_, line, stdin) => {
  const { run, stored } = await withProfile();
  await run('profiles set acme --team-stdin', url);
  const { code, stderr } = await run(line, stdin);
  expect([code, stderr]).toEqual([11, expect.stringContaining('--yes')]);
  expect(await run(`${line} --yes`, stdin)).toMatchObject({ code: 0 });
  expect(readFileSync(stored, 'utf8')).not.toContain(url);
});

it('reports a stored team that was damaged, without it', async () => {
  const { run, stored } = await withProfile();
  await run('profiles set acme --team-stdin', url);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(stored, readFileSync(stored, 'utf8').replace(secret, secret.slice(3)));
  expect((await run('profiles show acme')).stdout).toContain('team: damaged\n');
});
