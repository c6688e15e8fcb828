import { dirname, join } from 'node:path';
import { ownText } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { command, type Group } from '../cli/command.ts';
import { childrenOf, nodeAt, offerFor, type Offer, type Offered, type Typed } from '../cli/complete.ts';
import { globals } from '../cli/globals.ts';
import { topicNames } from '../cli/help.ts';
import { chosen, type KnownSource, knowing, required } from '../cli/params.ts';
import { batchesSeen, templatesSeen } from '../cli/seen.ts';
import { currentCaller } from '../session/caller.ts';
import { configFolder } from '../session/folders.ts';
import { readStore } from '../session/profiles/store.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
const scripts = { bash: 'bizmsg.bash', zsh: '_bizmsg', fish: 'bizmsg.fish', powershell: 'bizmsg.ps1' } as const;

export const completion = command({
  name: 'completion',
  summary: 'Print the completion script for a shell',
  details: `Add the line of your shell to its start-up file. bizmsg must be in PATH; in a clone, run npm link.
      ~/.bashrc                   eval "$(bizmsg completion bash)"
      ~/.zshrc                    eval "$(bizmsg completion zsh)"
      ~/.config/fish/config.fish  bizmsg completion fish | source
      $PROFILE  bizmsg completion powershell | Out-String | Invoke-Expression`,
  params: {
    shell: knowing(
      shells,
      required('<shell>', `the shell: ${shells.join(', ')}`, (text) => chosen(text, shells)),
    ),
  },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  accepts: [],
  piped: 'verbatim',
  run: async ({ host }, { shell: named }) =>
    Buffer.from(ownText(join(dirname(host.self[1] ?? ''), '../completions', scripts[named]))),
  view: (text) => text.toString(),
});

/**
 * Answers the scripts in completions/. It calls no service and writes no file. The words come through stdin, because
 * they may hold a key, and every user can read arguments.
 */
export async function complete(host: Host, tree: Group): Promise<string> {
  const typed = host.readStdin().split('\0').slice(0, -1);
  const offer = (words: readonly string[]) => offerFor(tree, afterProgram(words), namesOf(host, tree));
  return reply(host.argv[1] === 'bash' ? await offerInBash(typed, offer) : await offer(typed));
}

/** The kind, the part before each text, then the texts: all that the scripts need. */
function reply({ kind, before, words }: Offer): string {
  return [kind, before, ...words.map(({ text, about = '' }) => `${text}\t${about}`), ''].join('\n');
}

/** fish passes `FOO=1 bizmsg` as two words. */
function afterProgram(words: readonly string[]): readonly string[] {
  const at = words.slice(0, -1).findIndex((word) => /^(?:.*[/\\])?bizmsg(?:\.cmd|\.exe)?$/s.test(word));
  return words.slice(Math.max(at, 0) + 1);
}

/** bash passes its line, and the end of it that it replaces: it splits words at `=` and `:`, and keeps quotes. */
async function offerInBash(
  [line = '', replaced = '']: readonly string[],
  offerOf: (words: readonly string[]) => Promise<Offer>,
): Promise<Offer> {
  const raw = line.match(/(?:\\.|"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s"'\\])+|\\$|\s+$/gs) ?? [];
  const words = raw.map((word) => word.replace(/^\s+$/, '').replace(/\\(.)|["'\\]/gs, '$1'));
  if (/^\d*&?[<>]+$/.test(raw.at(-2) ?? '') || /^\d*&?[<>]/.test(raw.at(-1) ?? ''))
    return { kind: 'files', before: '', words: [] };
  const { before, ...offer } = await offerOf(words);
  const current = words.at(-1) ?? '';
  const kept = current.slice(0, current.length - replaced.replaceAll('\\', '').length);
  const fitting = offer.words.map(({ text }) => before + text).filter((text) => text.startsWith(current));
  const isQuoted = /^["']/.test(raw.at(-1) ?? '');
  const isSafe = (text: string) => !isQuoted || /^[\w ./:=+@%,\-\u00a1-\u{10ffff}]*$/u.test(text);
  return { ...offer, before: '', words: fitting.filter(isSafe).map((text) => ({ text: text.slice(kept.length) })) };
}

/** The names stored on this machine. Unreadable files have none, because completion must not print errors. */
function namesOf(host: Pick<Host, 'env' | 'home'>, tree: Group) {
  const profiles = () => attempt(() => Object.keys(readStore(configFolder(host)).profiles).sort()) ?? [];
  return async (source: KnownSource, { words, options }: Typed): Promise<readonly Offered[]> => {
    switch (source) {
      case 'profiles':
        return offered(profiles());
      case 'callers':
        return [...offered(profiles()), { text: 'local', about: 'the sandbox on this machine' }];
      case 'templates':
        return offered(templateNames(host, options));
      case 'batches':
        return offered(batchesSeen(host));
      case 'help': {
        const node = await nodeAt(tree, words);
        return node?.kind === 'group' ? [...childrenOf(node), ...offered(words.length === 0 ? topicNames : [])] : [];
      }
      case 'files':
      default:
        return [];
    }
  };
}

/** The templates of the caller, or of all callers if --profile may follow later in the line. */
function templateNames(host: Pick<Host, 'env' | 'home'>, options: Typed['options']) {
  const mode = (['sandbox', 'live'] as const).find((name) => name === options.get(globals.mode));
  const flags = { profile: options.get(globals.profile), baseUrl: options.get(globals.baseUrl), mode, noInput: true };
  const caller = attempt(() => currentCaller({ host, given: flags }));
  return new Set(templatesSeen(host, caller).map(({ name }) => name));
}

function offered(names: Iterable<string>): readonly Offered[] {
  return Array.from(names, (text) => ({ text }));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
