import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installCompletion } from '../../../src/cli/complete/install.ts';
import type { Env } from '../../../src/base/host.ts';
import { binary } from '../../support/bin.ts';
import { cli } from '../../support/cli.ts';
import { makePipe } from '../../support/disk.ts';
import { newHome } from '../../support/fake-service.ts';

const files = {
  bash: '.local/share/bash-completion/completions/bizmsg',
  zsh: '.local/share/zsh/site-functions/_bizmsg',
  fish: '.config/fish/completions/bizmsg.fish',
} as const;
const shells = ['bash', 'zsh', 'fish'] as const;

function install(shell: (typeof shells)[number], home: string, env: Env = {}) {
  return installCompletion(shell, { env, home, pid: 1, self: ['node', binary] });
}

function write(home: string, name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (home: string, name: string) => readFileSync(join(home, name), 'utf8');

describe('completion install', () => {
  it.each(shells)('writes the script where %s looks for it, and prints the path', async (shell) => {
    const home = newHome();
    const { code, stdout } = await cli(['completion', 'install', shell], { home, terminal: 300 });
    expect([code, existsSync(join(home, files[shell]))]).toEqual([0, true]);
    expect(stdout).toContain(join(home, files[shell]));
  });

  it.each(shells)('changes nothing for %s the second time', async (shell) => {
    const home = newHome();
    await cli(['completion', 'install', shell], { home });
    const { code, stdout } = await cli(['completion', 'install', shell], { home });
    expect([code, stdout.includes('is up to date')]).toEqual([0, true]);
  });

  it.each([
    ['bash', '.bashrc', 'If bash-completion is not loaded, add this line'],
    ['zsh', '.zshrc', 'Add this line'],
  ] as const)('prints the line for %s, and does not change %s', async (shell, startUp, text) => {
    const home = newHome();
    write(home, startUp, 'mine\n');
    const { stdout } = await cli(['completion', 'install', shell], { home });
    expect(stdout).toContain(`${text} to ${join(home, startUp)}:\n  `);
    expect(read(home, startUp)).toBe('mine\n');
  });

  it.each([
    ['bash', '.bashrc'],
    ['zsh', '.zshrc'],
  ] as const)('prints no line for %s if %s has it', (shell, startUp) => {
    const home = newHome();
    write(home, startUp, `mine\n${install(shell, home).line}\n`);
    expect(install(shell, home)).toMatchObject({ file_is: 'unchanged', start_up: null, line: null });
  });

  it('prints the line if the start-up file cannot be read', () => {
    const home = newHome();
    makePipe(join(home, '.bashrc'));
    expect(install('bash', home).line).toContain(files.bash);
  });

  it('uses XDG_DATA_HOME, XDG_CONFIG_HOME and ZDOTDIR', () => {
    const home = newHome();
    const [data, config, zsh] = ['data', 'config', 'zsh'].map((name) => join(home, name));
    const env = { XDG_DATA_HOME: data, XDG_CONFIG_HOME: config, ZDOTDIR: zsh };
    const installed = shells.map((shell) => install(shell, home, env));
    expect(installed.map(({ file }) => file.slice(home.length).split('/')[1])).toEqual(['data', 'data', 'config']);
    expect(installed[1]?.start_up).toBe(join(home, 'zsh/.zshrc'));
  });

  it("refuses to replace another program's file", async () => {
    const home = newHome();
    write(home, files.fish, 'complete -c bizmsg\n');
    const { code, stderr } = await cli(['completion', 'install', 'fish'], { home });
    expect([code, stderr.includes('move it away'), read(home, files.fish)]).toEqual([3, true, 'complete -c bizmsg\n']);
  });

  it('refuses a place that is not a file', async () => {
    const home = newHome();
    mkdirSync(dirname(join(home, files.fish)), { recursive: true });
    symlinkSync('/dev/null', join(home, files.fish));
    expect((await cli(['completion', 'install', 'fish'], { home })).code).toBe(3);
  });

  it('quotes the folder in the line', () => {
    const home = newHome();
    const { line } = install('bash', home, { XDG_DATA_HOME: join(home, "it's $(x)") });
    expect(line).toContain(String.raw`/it'\''s $(x)/bash-completion/completions/bizmsg'`);
  });

  it('refuses a folder with control characters', () => {
    expect(() => install('bash', newHome(), { XDG_DATA_HOME: '/a\nb' })).toThrow('control characters');
  });

  it.each([
    ['/usr/bin/fish', 0],
    ['/bin/tcsh', 2],
    ['', 2],
  ])('uses the shell in SHELL=%s', async (SHELL, expected) => {
    expect((await cli(['completion', 'install'], { home: newHome(), env: { SHELL } })).code).toBe(expected);
  });

  it('notes that bizmsg is not in PATH', async () => {
    const home = newHome();
    const env = { PATH: `/a/node_modules/.bin:${home}` };
    expect((await cli(['completion', 'install', 'fish'], { home, env })).stderr).toContain('bizmsg is not in PATH');
  });

  it('reports a file that it cannot write', async () => {
    const home = newHome();
    write(home, '.config', '');
    const { code, stderr } = await cli(['completion', 'install', 'fish'], { home });
    expect([code, stderr.includes(`cannot write ${join(home, files.fish)}`)]).toEqual([3, true]);
  });
});

describe('completion uninstall', () => {
  it.each(shells)('removes the script of %s', async (shell) => {
    const home = newHome();
    await cli(['completion', 'install', shell], { home });
    const { code, stdout } = await cli(['completion', 'uninstall', shell], { home });
    expect([code, existsSync(join(home, files[shell])), stdout.startsWith('Removed')]).toEqual([0, false, true]);
  });

  it('prints the line to remove from the start-up file', async () => {
    const home = newHome();
    const text = `mine\n${install('zsh', home).line}\n`;
    write(home, '.zshrc', text);
    const { stdout } = await cli(['completion', 'uninstall', 'zsh'], { home });
    expect(stdout).toContain(`Remove this line from ${join(home, '.zshrc')}:\n  `);
    expect(read(home, '.zshrc')).toBe(text);
  });

  it("keeps another program's file", async () => {
    const home = newHome();
    write(home, files.bash, 'complete -W x bizmsg\n');
    const { code, stdout } = await cli(['completion', 'uninstall', 'bash'], { home });
    expect([code, stdout.includes('is not installed'), read(home, files.bash)]).toEqual([
      0,
      true,
      'complete -W x bizmsg\n',
    ]);
  });
});
