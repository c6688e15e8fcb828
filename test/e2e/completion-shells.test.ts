import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completion } from '../../src/commands/completion.ts';
import { programText } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

const hostile = ['$(touch pwned)', '`touch pwned`', "it's; touch pwned", '"; touch pwned; "', '!! & touch pwned'];

/** The command line after a TAB. */
const lines: readonly (readonly [typed: string, becomes: string])[] = [
  ['bizmsg con', 'bizmsg contacts '],
  ['bizmsg contacts im', 'bizmsg contacts import '],
  ['bizmsg contacts list --colu', 'bizmsg contacts list --columns '],
  ['bizmsg --quiet contacts list --qui', 'bizmsg --quiet contacts list --qui'],
  ['bizmsg keys switch-mode li', 'bizmsg keys switch-mode live '],
  ['bizmsg send-template +12025550101 ord', 'bizmsg send-template +12025550101 order_update '],
  ['bizmsg contacts list --profile ac', 'bizmsg contacts list --profile acme '],
  ['bizmsg contacts list --profile=ac', 'bizmsg contacts list --profile=acme '],
  ['bizmsg profiles set colon:', 'bizmsg profiles set colon:and=sign '],
  ['bizmsg --profile=colon:', 'bizmsg --profile=colon:and=sign '],
  ['bizmsg sandbox trigger message.rec', 'bizmsg sandbox trigger message.received '],
  ['bizmsg contacts import peo', 'bizmsg contacts import people.csv '],
  ['bizmsg contacts create --input=peo', 'bizmsg contacts create --input=people.csv '],
  ['bizmsg sandbox exec -- zebra-', 'bizmsg sandbox exec -- zebra-program '],
  ['bizmsg sandbox exec --plan gro', 'bizmsg sandbox exec --plan growth '],
  [
    'bizmsg webhooks expect message.read -- zebra-program peo',
    'bizmsg webhooks expect message.read -- zebra-program people.csv ',
  ],
];

/** Shells of a terminal on Linux. */
const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Shells, with the reason why one cannot be tested here. */
const installed = shells.map((shell) => {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  return { shell, whyNot: isThere ? undefined : `skipped: ${shell} is not installed` };
});

const startUps: Readonly<Record<Shell, { readonly file: string; readonly text: string }>> = {
  bash: { file: '.bashrc', text: "PS1='ready> '\nunset HISTFILE\nbind 'set show-all-if-ambiguous on'\n" },
  zsh: { file: '.zshrc', text: "PS1='ready> '\n" },
  fish: {
    file: '.config/fish/config.fish',
    text: "set -g fish_greeting\nfunction fish_prompt; echo -n 'ready> '; end\n",
  },
};

for (const { shell, whyNot } of installed) {
  describe.skipIf(whyNot !== undefined)(`TAB in ${shell}${whyNot ? ` (${whyNot})` : ''}`, () => {
    it('completes a partial word', async () => {
      const home = homeFor(shell);
      addProfiles(home, ['acme', 'colon:and=sign']);
      addTemplates(home, ['order_update', 'welcome']);
      writeFileSync(join(home, 'people.csv'), 'phone\n');
      const terminal = await openShell(shell, home);
      for (const [typed, becomes] of lines)
        expect(await completed(terminal, typed, becomes)).toContain(`ready> ${becomes}@`);
    });

    it('keeps the typed words out of the process list and the environment', async () => {
      const home = homeFor(shell);
      addProfiles(home, ['acme']);
      const log = spyOn(home);
      const terminal = await openShell(shell, home);
      terminal.type('bizmsg contacts list --url-param key=sk_live_7Rw1Kc5NbY6uJe0S --profile ac');
      terminal.press('Tab');
      await terminal.until('--profile acme');
      terminal.type('@');
      await terminal.until('--profile acme @');
      const asked = readFileSync(log, 'utf8');
      expect(asked).toContain('__complete');
      expect(asked).not.toContain('7Rw1Kc5N');
    });

    it('completes profile names that look like commands to exactly that profile', async () => {
      for (const [typed, name] of [
        [String.raw`\$`, '$(touch pwned)'],
        ['\\`', '`touch pwned`'],
        ['it', "it's; touch pwned"],
        [String.raw`\"`, '"; touch pwned; "'],
        [String.raw`\!`, '!! & touch pwned'],
      ] as const) {
        const home = homeFor(shell);
        addProfiles(home, hostile);
        const terminal = await openShell(shell, home);
        terminal.type(`bizmsg profiles set ${typed}`);
        terminal.press('Tab');
        await terminal.until(/pwned/);
        terminal.type(' --default');
        terminal.press('Enter');
        await terminal.until(`Changed ${name}`);
        expect([name, existsSync(join(home, 'pwned')), existsSync('pwned')]).toEqual([name, false, false]);
      }
    });
  });
}

const bash = installed.find(({ shell }) => shell === 'bash');

describe.skipIf(bash?.whyNot !== undefined)('TAB in a bash without compopt, such as 3.2', () => {
  it('completes a partial word', async () => {
    const home = homeFor('bash');
    appendFileSync(join(home, '.bashrc'), 'enable -n compopt\n');
    addProfiles(home, ['colon:and=sign']);
    writeFileSync(join(home, 'people.csv'), 'phone\n');
    const terminal = await openShell('bash', home);
    for (const [typed, becomes] of [
      ['bizmsg con', 'bizmsg contacts '],
      ['bizmsg contacts import peo', 'bizmsg contacts import people.csv '],
      ['bizmsg contacts create --input=peo', 'bizmsg contacts create --input=people.csv '],
      ['bizmsg --profile=colon:', 'bizmsg --profile=colon:and=sign '],
    ] as const)
      expect(await completed(terminal, typed, becomes)).toContain(`ready> ${becomes}@`);
  });
});

/** The screen with the completed line, which is then removed. */
async function completed(terminal: Terminal, typed: string, becomes: string): Promise<string> {
  terminal.type(typed);
  terminal.press('Tab');
  // A shell that is completing may lose keys.
  await terminal.until(`ready> ${becomes.trimEnd()}`);
  terminal.type('@');
  const shown = await terminal.until(`ready> ${becomes}@`);
  terminal.press('C-u');
  await terminal.until(/^ready> *$/m);
  return shown;
}

/** The line of the help. */
function completionLine(shell: Shell): string {
  const lines = completion.details?.split('\n') ?? [];
  return lines.find((line) => line.includes(`${startUps[shell].file} `))?.replace(/^.*? {2,}\S+ +/, '') ?? '';
}

/** Creates a home with a shell's start-up file, and bizmsg and another program in its PATH. */
function homeFor(shell: Shell): string {
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
function spyOn(home: string): string {
  const log = join(home, 'asked.txt');
  const script = `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } >>'${log}'\nexec ${programText} "$@"\n`;
  writeFileSync(join(home, 'bin/bizmsg'), script, { mode: 0o755 });
  return log;
}

/** Writes a profile store directly, with names that the program would not accept. */
function addProfiles(home: string, names: readonly string[]): void {
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const profile = { baseUrl: 'https://api.example.com', mode: 'sandbox', keys: {} };
  const profiles = Object.fromEntries(names.map((name) => [name, profile]));
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
}

function addTemplates(home: string, names: readonly string[]): void {
  const folder = join(home, '.local/state/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = names.map((name) => `${JSON.stringify({ place: 'local', name })}\n`);
  writeFileSync(join(folder, 'templates.txt'), lines.join(''));
}

/** Opens the shell in a terminal, with completion installed. */
async function openShell(shell: Shell, home: string): Promise<Terminal> {
  const env = { PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}` };
  const terminal = openTerminal({ home, columns: 120, env });
  appendFileSync(join(home, startUps[shell].file), completionLine(shell));
  await terminal.enter(`cd; clear; exec env -u ENV ${shell} -i`);
  await terminal.until(/^ready> *$/m);
  return terminal;
}
