import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { cleanEnv, temporaryHome } from '../support/bin.ts';

const key = 'sk_test_example0123456789';
const program = join(inject('project'), 'node_modules/bizmsg/bin/bizmsg.js');

function newHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

/** Runs a command without a connection. */
async function send(home: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const complete = cleanEnv(home, { BIZMSG_BASE_URL: 'http://127.0.0.1:9', BIZMSG_API_KEY: key, ...env });
  const words = [program, 'send-template', '+12025550101', 'welcome', '--retries', '0'];
  const { stderr } = await execa(process.execPath, words, { env: complete, extendEnv: false, reject: false });
  expect(stderr).toContain('error: cannot connect to ');
}

function filesIn(folder: string): readonly string[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}

describe.skipIf(!('enableCompileCache' in nodeModule))('the compiled code (skipped before Node 22.8)', () => {
  it('is kept in a folder of the user, without what was typed', async () => {
    const home = newHome();
    await send(home);
    const files = filesIn(join(home, '.cache/bizmsg'));
    expect(files.length).toBeGreaterThan(1);
    expect(statSync(join(home, '.cache/bizmsg')).mode & 0o777).toBe(0o700);
    expect(files.filter((path) => readFileSync(path).includes(key))).toEqual([]);
  });

  it('is kept in XDG_CACHE_HOME', async () => {
    const home = newHome();
    await send(home, { XDG_CACHE_HOME: join(home, 'caches') });
    expect(filesIn(join(home, 'caches/bizmsg'))).not.toEqual([]);
  });

  it.each(['.cache', '.cache/bizmsg'])('is not kept if others can write to %s', async (path) => {
    const home = newHome();
    const folder = join(home, path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o777);
    await send(home);
    expect(filesIn(join(home, '.cache'))).toEqual([]);
  });

  it.each(['/proc', '/dev/null', '/tmp', '/missing'])('is not kept in the home %s', async (home) => {
    await send(home, { BIZMSG_STATE_DIR: newHome(), BIZMSG_CONFIG_DIR: newHome() });
    expect(existsSync(join(home, '.cache/bizmsg'))).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)('is not kept in the home of another user, for example with sudo', async () => {
    const home = newHome();
    chownSync(home, 1_234, 1_234);
    await send(home, { BIZMSG_STATE_DIR: newHome() });
    expect(existsSync(join(home, '.cache'))).toBe(false);
  });
});
