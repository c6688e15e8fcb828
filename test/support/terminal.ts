import { execFileSync, spawnSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { cleanEnv } from './bin.ts';

/** Why tests in a real terminal cannot run here, or undefined. */
export const noTerminal =
  spawnSync('tmux', ['-V']).status === 0
    ? undefined
    : 'skipped: tmux is not installed, and no npm package brings a terminal';

export interface Terminal {
  /** Types text, or a key by its tmux name. */
  type(text: string): void;
  press(key: string): void;
  screen(): string;
  /** The screen, once it holds this. */
  until(text: string | RegExp): Promise<string>;
  close(): void;
}

/** A shell in a real terminal, with an environment that holds nothing but a home. */
export function openTerminal(home: string, columns = 100): Terminal {
  const socket = `bizmsg-${process.pid}-${Math.floor(performance.now() * 1000)}`;
  const tmux = (...words: string[]) => execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8' });
  const env = Object.entries({ ...cleanEnv(home), PS1: '$ ', TERM: 'screen-256color', LANG: 'C.UTF-8' });
  const words = env.map(([name, value]) => `${name}=${value}`);
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '40', 'env', '-i', ...words, 'sh');
  const screen = () => tmux('capture-pane', '-p');
  return {
    type: (text) => void tmux('send-keys', '-l', text),
    press: (key) => void tmux('send-keys', key),
    screen,
    until: async (text) => {
      for (let attempt = 0; attempt < 200; attempt++) {
        const shown = screen();
        if (typeof text === 'string' ? shown.includes(text) : text.test(shown)) return shown;
        await wait(50);
      }
      throw new Error(`the screen never showed ${text}:\n${screen()}`);
    },
    close: () => void tmux('kill-server'),
  };
}
