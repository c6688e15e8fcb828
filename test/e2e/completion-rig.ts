import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { completion } from '../../src/commands/completion.ts';
import { programText } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { noTerminal, openTerminal, type Terminal } from '../support/terminal.ts';

/** Shells of a terminal on Linux. */
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Shells, with the reason why one cannot be tested here. */
export const installed = shells.map((shell) => {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  return { shell, whyNot: noTerminal ?? (isThere ? undefined : `skipped: ${shell} is not installed`) };
});

const startUps: Readonly<Record<Shell, { readonly file: string; readonly text: string }>> = {
  bash: { file: '.bashrc', text: "PS1='ready> '\nunset HISTFILE\nbind 'set show-all-if-ambiguous on'\n" },
  zsh: { file: '.zshrc', text: "PS1='ready> '\n" },
  fish: {
    file: '.config/fish/config.fish',
    text: "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\n",
  },
};

/** The line of the help. */
function completionLine(shell: Shell): string {
  const lines = completion.details?.split('\n') ?? [];
  return lines.find((line) => line.includes(`${startUps[shell].file} `))?.replace(/^.*? {2,}\S+ +/, '') ?? '';
}

/** Creates a home with a shell's start-up file, and bizmsg and another program in its PATH. */
export function homeFor(shell: Shell): string {
  const home = newHome();
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, '.config/fish'), { recursive: true });
  // Otherwise fish parses all man pages in the background, and writes to this home after its removal.
  mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
  writeFileSync(join(home, startUps[shell].file), startUps[shell].text);
  writeFileSync(join(home, 'bin/bizmsg'), `#!/bin/sh\nexec ${programText} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, 'bin/zebra-program'), '#!/bin/sh\n', { mode: 0o755 });
  return home;
}

/** Makes the home's bizmsg log its arguments and environment. */
export function spyOn(home: string): string {
  const log = join(home, 'asked.txt');
  const script = `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } >>'${log}'\nexec ${programText} "$@"\n`;
  writeFileSync(join(home, 'bin/bizmsg'), script, { mode: 0o755 });
  return log;
}

/** Writes a profile store directly, with names that the program would not accept. */
export function addProfiles(home: string, names: readonly string[]): void {
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: {} };
  const profiles = Object.fromEntries(names.map((name) => [name, profile]));
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
}

export function addTemplates(home: string, names: readonly string[]): void {
  const folder = join(home, '.local/state/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(folder, 'templates.json'),
    JSON.stringify({ version: 2, places: { local: names.map((name) => ({ name })) } }),
  );
}

/** Opens the shell in a terminal, with completion installed. */
export async function openShell(shell: Shell, home: string): Promise<Terminal> {
  const env = { PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}` };
  const terminal = openTerminal({ home, columns: 120, env });
  onTestFinished(() => terminal.close());
  appendFileSync(join(home, startUps[shell].file), completionLine(shell));
  await terminal.enter(`cd; clear; exec env -u ENV ${shell} -i`);
  await terminal.until(/^ready> *$/m);
  return terminal;
}

/** Lists the files below a folder, except those of the shells. */
export function filesIn(home: string): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !/fish|zcompdump|history/.test(name)).sort();
}
