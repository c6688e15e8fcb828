import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCompletions } from '../../../src/cli/complete/install.ts';
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
const startUps = { bash: '.bashrc', zsh: '.zshrc' } as const;

/** On a machine that has nothing but what is in this folder. */
function completionsIn(home: string, env: Env = {}) {
  return openCompletions({ env, home, pid: 1, self: ['node', binary] }, join(home, 'root'));
}

function write(home: string, name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (home: string, name: string) => readFileSync(join(home, name), 'utf8');

describe('completion install', () => {
  it.each(shells)('of %s puts the shim where it looks, and says so', async (shell) => {
    const home = newHome();
    const { code, stdout } = await cli(['completion', 'install', shell, '--yes'], { home, terminal: 300 });
    expect([code, existsSync(join(home, files[shell]))]).toEqual([0, true]);
    expect(stdout).toContain(join(home, files[shell]));
  });

  it.each(shells)('of %s changes nothing the second time', async (shell) => {
    const home = newHome();
    await cli(['completion', 'install', shell, '--yes'], { home });
    const before = shell === 'fish' ? '' : read(home, startUps[shell]);
    const { code, stdout } = await cli(['completion', 'install', shell], { home });
    expect([code, stdout.includes('was there already')]).toEqual([0, true]);
    expect(shell === 'fish' ? '' : read(home, startUps[shell])).toBe(before);
  });

  it.each(['bash', 'zsh'] as const)(
    'of %s asks before it changes a start-up file, and does nothing without a yes',
    async (shell) => {
      const home = newHome();
      write(home, startUps[shell], 'mine\n');
      const { code, stderr } = await cli(['completion', 'install', shell], { home });
      expect([
        code,
        stderr.includes(startUps[shell]),
        existsSync(join(home, files[shell])),
        read(home, startUps[shell]),
      ]).toEqual([11, true, false, 'mine\n']);
    },
  );

  it('keeps the rest of a start-up file, its bytes, its mode and its link', () => {
    const home = newHome();
    const target = write(home, 'dotfiles/bashrc', '');
    writeFileSync(target, Buffer.from([0x61, 0xff, 0x0a]));
    chmodSync(target, 0o600);
    symlinkSync(target, join(home, '.bashrc'));
    const completions = completionsIn(home);
    completions.install('bash', completions.places('bash'));
    expect([lstatSync(join(home, '.bashrc')).isSymbolicLink(), statSync(target).mode & 0o777]).toEqual([true, 0o600]);
    expect([...readFileSync(target).subarray(0, 3)]).toEqual([0x61, 0xff, 0x0a]);
  });

  it('begins a line of its own where the file does not end with one', () => {
    const home = newHome();
    write(home, '.bashrc', 'alias a=b');
    const completions = completionsIn(home);
    completions.install('bash', completions.places('bash'));
    expect(read(home, '.bashrc')).toMatch(/^alias a=b\n(?:# .*\n)?if \[ -r /);
  });

  it.each(['alias a=b\\', 'alias a=b \\\n', 'alias a=b'])('is no part of the line before it: %j', (text) => {
    const home = newHome();
    write(home, '.bashrc', text);
    const completions = completionsIn(home);
    completions.install('bash', completions.places('bash'));
    const script = '. "$1" && alias a && complete -p bizmsg';
    const options = { encoding: 'utf8', env: { HOME: home, PATH: '/usr/bin:/bin' } } as const;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-c', `shopt -s expand_aliases; ${script}`, 'bash', join(home, '.bashrc')],
      options,
    );
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^alias a='b'\ncomplete .* bizmsg\n$/)]);
  });

  it.each(['install', 'uninstall'])('%s reads no start-up file that is a pipe', async (word) => {
    const home = newHome();
    makePipe(join(home, '.bashrc'));
    const { code, stderr } = await cli(['completion', word, 'bash', '--yes'], { home });
    expect([code, stderr.includes(`cannot read ${join(home, '.bashrc')}`)]).toEqual([3, true]);
    expect(existsSync(join(home, files.bash))).toBe(false);
  });

  it('reads none through a link either that is no file', async () => {
    const home = newHome();
    symlinkSync('/dev/null', join(home, '.zshrc'));
    expect((await cli(['completion', 'install', 'zsh', '--yes'], { home })).code).toBe(3);
  });

  it.each(['bash', 'zsh'] as const)('of %s refuses a link that leads nowhere', async (shell) => {
    const home = newHome();
    symlinkSync('dotfiles/rc', join(home, startUps[shell]));
    const { code, stderr } = await cli(['completion', 'install', shell, '--yes'], { home });
    expect([code, stderr.includes('is a link to dotfiles/rc, which is not there')]).toEqual([3, true]);
    expect([lstatSync(join(home, startUps[shell])).isSymbolicLink(), existsSync(join(home, files[shell]))]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['is loaded by .bashrc', '.bashrc', '. /usr/share/bash-completion/bash_completion\n', false],
    ['is loaded for all', 'root/etc/bash.bashrc', '  . /usr/share/bash-completion/bash_completion\n', false],
    ['is loaded by a comment', 'root/etc/bash.bashrc', '#  . /usr/share/bash-completion/bash_completion\n', true],
    ['is loaded by nobody', '.bashrc', 'alias a=b\n', true],
  ])('of bash, where bash-completion is there and %s', (_, name, text, needsLine) => {
    const home = newHome();
    write(home, 'root/usr/share/bash-completion/bash_completion', '');
    write(home, name, text);
    expect(completionsIn(home).places('bash').startUp !== undefined).toBe(needsLine);
  });

  it.each([
    ['fpath=(~/.zfunc $fpath)\nautoload -Uz compinit && compinit\n', '.zfunc/_bizmsg', false],
    ['fpath+=("$HOME/.zsh/completions")\ncompinit\n', '.zsh/completions/_bizmsg', false],
    ['# fpath=(~/.zfunc $fpath)\ncompinit\n', files.zsh, true],
    ['compinit\nfpath=(~/.zfunc $fpath)\n', files.zsh, true],
    ['', files.zsh, true],
  ])('of zsh with %j writes %s', (text, file, needsBlock) => {
    const home = newHome();
    write(home, '.zshrc', text);
    const places = completionsIn(home).places('zsh');
    expect([places.file, places.startUp !== undefined]).toEqual([join(home, file), needsBlock]);
  });

  it('goes by XDG_DATA_HOME, XDG_CONFIG_HOME and ZDOTDIR', () => {
    const home = newHome();
    const completions = completionsIn(home, { XDG_DATA_HOME: '/data', XDG_CONFIG_HOME: '/config', ZDOTDIR: '/z' });
    const places = shells.map((shell) => completions.places(shell));
    expect(places.map(({ file }) => file.split('/')[1])).toEqual(['data', 'data', 'config']);
    expect(places[1]?.startUp?.path).toBe('/z/.zshrc');
  });

  it('leaves a file of somebody else alone', async () => {
    const home = newHome();
    write(home, files.fish, 'complete -c bizmsg\n');
    const { code, stderr } = await cli(['completion', 'install', 'fish'], { home });
    expect([code, stderr.includes('move it away'), read(home, files.fish)]).toEqual([3, true, 'complete -c bizmsg\n']);
  });

  it('quotes the folder in a start-up file', () => {
    const home = newHome();
    const startUp = completionsIn(home, { XDG_DATA_HOME: "/it's $(x)" }).places('bash').startUp;
    expect(startUp?.text).toContain(String.raw`. '/it'\''s $(x)/bash-completion/completions/bizmsg'`);
  });

  it('refuses a folder with control characters', () => {
    expect(() => completionsIn(newHome(), { XDG_DATA_HOME: '/a\nb' }).places('bash')).toThrow('control characters');
  });

  it.each([
    ['/usr/bin/fish', 0],
    ['/bin/tcsh', 2],
    ['', 2],
  ])('goes by SHELL=%s', async (SHELL, expected) => {
    expect((await cli(['completion', 'install'], { home: newHome(), env: { SHELL } })).code).toBe(expected);
  });

  it('says that the shell would find no bizmsg', async () => {
    const home = newHome();
    const { stderr } = await cli(['completion', 'install', 'fish'], {
      home,
      env: { PATH: `/a/node_modules/.bin:${home}` },
    });
    expect(stderr).toContain('no bizmsg in PATH');
  });

  it('says what it cannot write', async () => {
    const home = newHome();
    write(home, '.config', '');
    const { code, stderr } = await cli(['completion', 'install', 'fish'], { home });
    expect([code, stderr.includes(`cannot write ${join(home, files.fish)}`)]).toEqual([3, true]);
  });
});

describe('completion uninstall', () => {
  it.each(shells)('of %s takes all of it back', async (shell) => {
    const home = newHome();
    if (shell !== 'fish') write(home, startUps[shell], 'mine\n');
    await cli(['completion', 'install', shell, '--yes'], { home });
    const { code, stdout } = await cli(['completion', 'uninstall', shell], { home });
    expect([code, existsSync(join(home, files[shell])), stdout.startsWith('Removed')]).toEqual([0, false, true]);
    expect(shell === 'fish' ? 'mine\n' : read(home, startUps[shell])).toBe('mine\n');
  });

  describe.each(['bash', 'zsh'] as const)('of %s', (shell) => {
    it.each(['', 'mine', 'mine\n', 'mine\n\n', 'mine\\', 'mine\\\n', '\n'])('restores %j exactly', (text) => {
      const home = newHome();
      write(home, startUps[shell], text);
      const completions = completionsIn(home);
      completions.install(shell, completions.places(shell));
      expect(read(home, startUps[shell])).not.toBe(text);
      completions.uninstall(shell);
      expect(read(home, startUps[shell])).toBe(text);
    });

    it('removes a file that it made, unless somebody has written to it', () => {
      const [home, other] = [newHome(), newHome()];
      for (const one of [home, other]) {
        const completions = completionsIn(one);
        completions.install(shell, completions.places(shell));
        if (one === other) write(one, startUps[shell], `${read(one, startUps[shell])}mine\n`);
        completions.uninstall(shell);
      }
      expect([existsSync(join(home, startUps[shell])), read(other, startUps[shell])]).toEqual([false, 'mine\n']);
    });

    it('keeps the line feed that somebody relies on since', () => {
      const home = newHome();
      write(home, startUps[shell], 'mine');
      const completions = completionsIn(home);
      completions.install(shell, completions.places(shell));
      write(home, startUps[shell], `${read(home, startUps[shell])}after`);
      completions.uninstall(shell);
      expect(read(home, startUps[shell])).toBe('mine\nafter');
    });
  });

  it('takes back what an earlier version added', () => {
    const home = newHome();
    write(home, '.bashrc', 'mine\nif [ -r /x ]; then . /x; fi # bizmsg completion\nmore\n');
    completionsIn(home).uninstall('bash');
    expect(read(home, '.bashrc')).toBe('mine\nmore\n');
  });

  it('keeps what was written after it', () => {
    const home = newHome();
    const completions = completionsIn(home);
    completions.install('zsh', completions.places('zsh'));
    write(home, '.zshrc', `before\n${read(home, '.zshrc')}after\n`);
    completions.uninstall('zsh');
    expect(read(home, '.zshrc')).toBe('before\nafter\n');
  });

  it('leaves a file of somebody else, and a start-up file without our mark', async () => {
    const home = newHome();
    write(home, files.bash, 'complete -W x bizmsg\n');
    write(home, '.bashrc', 'alias bizmsg=b # completion\n');
    const { code } = await cli(['completion', 'uninstall', 'bash'], { home });
    expect([code, read(home, files.bash), read(home, '.bashrc')]).toEqual([
      0,
      'complete -W x bizmsg\n',
      'alias bizmsg=b # completion\n',
    ]);
  });
});
