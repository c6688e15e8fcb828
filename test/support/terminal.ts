import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished, TestRunner } from 'vitest';
import { cleanEnv, programText } from './bin.ts';

/** The reason why tests in a terminal cannot run here, if any. */
const noTerminal =
  spawnSync('tmux', ['-V']).status === 0
    ? undefined
    : 'skipped: tmux is not installed, and no npm package brings a terminal';

export interface TerminalOptions {
  readonly home: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export type Terminal = ReturnType<typeof openTerminal>;

// The prompt is the previous exit code.
const prompt = /(?:^|\n)\[(\d+)\]\s*$/;

/** Opens a shell in a terminal (tmux), with an environment of its own; skips the test where there is none. */
export function openTerminal({ home, columns = 100, rows = 40, env = {} }: TerminalOptions) {
  if (noTerminal !== undefined) TestRunner.getCurrentTest()?.context.skip(noTerminal);
  const folder = mkdtempSync(join(tmpdir(), 'bizmsg-terminal-'));
  const socket = join(folder, 'tmux');
  const tmux = (...words: string[]) => execFileSync('tmux', ['-S', socket, ...words], { encoding: 'utf8' });
  const profile = join(folder, 'shrc');
  writeFileSync(profile, `bizmsg() { ${programText} "$@"; }\n`);
  const variables = { ...cleanEnv(home), PS1: '[$?] ', ENV: profile, TERM: 'screen-256color', LANG: 'C.UTF-8', ...env };
  const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const size = ['-x', String(columns), '-y', String(rows)];
  tmux('-f', '/dev/null', 'new-session', '-d', ...size, 'env', '-i', ...words, 'sh', '-i');
  const record = join(folder, 'written');
  writeFileSync(record, '');
  tmux('pipe-pane', `exec cat > '${record}'`);

  const screen = () => tmux('capture-pane', '-p');
  const untilIs = async (holds: (shown: string) => boolean, what: string) => {
    // Until just before its test gives up.
    for (const end = performance.now() + 50_000; performance.now() < end;) {
      const shown = screen();
      if (holds(shown)) return shown;
      await wait(40);
    }
    throw new Error(`the screen never showed ${what}:\n${screen()}`);
  };
  /** The screen, once it contains the text. */
  const until = (text: string | RegExp) =>
    untilIs((shown) => (typeof text === 'string' ? shown.includes(text) : text.test(shown)), String(text));
  const type = (text: string) => void tmux('send-keys', '-l', '--', text);
  /** Presses a key by its tmux name. */
  const press = (key: string) => void tmux('send-keys', key);
  /** Answers a prompt: types text and presses Enter. */
  const answer = (text: string) => {
    type(text);
    press('Enter');
  };

  const close = () => {
    spawnSync('tmux', ['-S', socket, 'kill-server']);
    rmSync(folder, { recursive: true, force: true });
  };
  onTestFinished(close);

  return {
    /** Waits for the shell and enters a command line; `bizmsg` is the binary under test. */
    enter: async (line: string) => {
      await until(prompt);
      type(line);
      // Waits for the echo, so that the old prompt is not mistaken for the next one.
      await untilIs((shown) => !prompt.test(shown), line);
      press('Enter');
    },
    type,
    answer,
    /** Answers the prompt once it is shown. */
    reply: async (question: string | RegExp, text: string) => {
      await until(question);
      answer(text);
    },
    press,
    resize: (width: number) => void tmux('resize-window', '-x', String(width)),
    screen,
    /** All bytes written to the terminal; throws if they are not UTF-8. */
    written: () => new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(record)),
    until,
    /** The exit code, once the shell prompts again. */
    ended: async () => Number(prompt.exec(await until(prompt))?.[1]),
    close,
  };
}
