import { readFileSync } from 'node:fs';
import type { Host } from '../base/host.ts';
import { lineOf } from './complete-line.ts';
import { namesOn } from './complete-names.ts';
import { offerOf } from './complete-offer.ts';
import { bashReply, fishReply, type Reply, zshReply } from './complete-reply.ts';
import type { Surface } from './complete-surface.ts';
import { wishOf } from './complete-wish.ts';

/**
 * `bizmsg __complete <shell>`, a program of its own: it loads no command, calls nobody and writes no file. What was
 * typed comes through stdin, each text ended by a NUL, since it may hold a key and every user can read arguments.
 */
export async function main(host: Host): Promise<number> {
  const [, shell = ''] = host.argv;
  const texts = readFileSync(0, 'utf8').split('\0').slice(0, -1);
  const reply = texts.length === 0 ? undefined : replyTo(shell, texts, host, JSON.parse(__SURFACE__));
  if (reply === undefined) return 2;
  await host.stdout.write(`${reply.join('\n')}\n`);
  return 0;
}

/** bash gives its line and the part of it that it replaces, the others give their words. */
export function replyTo(
  shell: string,
  rest: readonly string[],
  machine: Pick<Host, 'env' | 'home'>,
  surface: Surface,
): Reply | undefined {
  const offered = (words: readonly string[]) => {
    const own = afterProgram(words);
    return offerOf(wishOf(surface, own), own.at(-1) ?? '', surface.root, namesOn(machine));
  };
  if (shell === 'zsh') return zshReply(offered(rest));
  if (shell === 'fish') return fishReply(offered(rest));
  if (shell !== 'bash') return undefined;
  const [text = '', replaced = ''] = rest;
  const line = lineOf(text);
  return line.redirects ? ['files'] : bashReply(offered(line.words), line, replaced);
}

/** fish has `FOO=1 bizmsg` as two words. */
function afterProgram(words: readonly string[]): readonly string[] {
  const at = words.slice(0, -1).findIndex((word) => /^(?:.*\/)?bizmsg$/s.test(word));
  return words.slice(Math.max(at, 0) + 1);
}
