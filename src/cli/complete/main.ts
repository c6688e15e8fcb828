import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import type { Host } from '../../base/host.ts';
import type { Mode } from '../../contract/keys.ts';
import { currentCaller } from '../../session/caller.ts';
import { configFolder } from '../../session/folders.ts';
import { readStore } from '../../session/profiles/store.ts';
import { attempt, templatesSeen } from '../seen-templates.ts';
import { basename } from 'node:path';
import { safeLine } from '../output/text.ts';
import { type Candidate, type Candidates, candidatesAt, type Names, positionOf } from './candidates.ts';
import type { Surface } from '../command-tree.ts';

/**
 * `bizmsg __complete <shell>`: a separate program that calls no service and writes no file; a process of its own lists
 * ids. It reads the typed words from stdin, each ended by a NUL, because they may hold a key, and every user can read
 * arguments.
 */
export async function main(host: Host, typed = readFileSync(0, 'utf8')): Promise<number> {
  const [, shell = ''] = host.argv;
  const texts = typed.split('\0').slice(0, -1);
  const reply = texts.length === 0 ? undefined : replyTo(shell, texts, host, JSON.parse(__SURFACE__));
  if (reply === undefined) return 2;
  await host.stdout.write(`${reply.join('\n')}\n`);
  return 0;
}

/** bash passes its line and the part that it replaces, the other shells pass words. */
export function replyTo(
  shell: string,
  rest: readonly string[],
  machine: Pick<Host, 'env' | 'home' | 'self'>,
  surface: Surface,
): Reply | undefined {
  const candidates = (words: readonly string[]) => {
    const own = afterProgram(words);
    return candidatesAt(positionOf(surface, own), own.at(-1) ?? '', surface.root, namesOn(machine));
  };
  if (shell === 'zsh') return zshReply(candidates(rest));
  if (shell === 'fish' || shell === 'powershell') return fishReply(candidates(rest));
  if (shell !== 'bash') return undefined;
  const [text = '', replaced = ''] = rest;
  const line = lineOf(text);
  return line.redirects ? ['files'] : bashReply(candidates(line.words), line, replaced);
}

/** The names stored on this machine. Unreadable files have none, because completion must not print errors. */
function namesOn({ env, home, self }: Pick<Host, 'env' | 'home' | 'self'>): Names {
  const store = () => readStore(configFolder({ env, home }));
  return {
    profiles: () => attempt(() => Object.keys(store().profiles).sort()) ?? [],
    columns: (words) =>
      words
        .toReversed()
        .map(columnsIn)
        .find((found) => found.length > 0) ?? [],
    templates: (given) => {
      const flags = { profile: given.get('--profile'), baseUrl: given.get('--base-url'), mode: modeIn(given) };
      const caller = attempt(() => currentCaller({ host: { env, home }, given: { ...flags, noInput: true } }));
      // --profile may follow later in the line.
      return [...new Set(templatesSeen({ env, home }, caller).map(({ name }) => name))];
    },
    ids: (command) => (attempt(() => listed(command, { env, self })) ?? []).map(idIn).toReversed(),
  };
}

/** Milliseconds that a person waits for a list. */
const longestList = 2_000;

/** The records that a command of this machine lists. */
function listed(
  command: string,
  { env, self: [program = '', ...words] }: Pick<Host, 'env' | 'self'>,
): readonly object[] {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: longestList,
  };
  const argv = [...words, ...command.split(' '), '-o', 'json', '--no-team'];
  return JSON.parse(execFileSync(program, argv, options));
}

/** The id of a record, and what it is: `send-batch welcome people.csv`, or `message.read +12025550101`. */
function idIn(record: object): Candidate {
  const { id, command, template, file, name, recipient }: Readonly<Record<string, unknown>> = { ...record };
  const about = [command, template, typeof file === 'string' ? basename(file) : null, name, recipient];
  return { text: String(id), about: safeLine(about.filter((part) => typeof part === 'string').join(' ')) };
}

/** The names in the first line of a table; empty for anything else. */
function columnsIn(path: string): readonly string[] {
  const [line = ''] = (attempt(() => headOf(path)) ?? '').split(/\r\n|\r|\n/);
  if (/^\s*[[{]/.test(line)) return [];
  const counts = [',', ';', '\t', '|'].map((separator) => line.split(separator));
  const names = counts.reduce((most, one) => (one.length > most.length ? one : most), [line]);
  return names.map((name) => name.trim().replace(/^"(.*)"$/, '$1')).filter((name) => name !== '');
}

/** The first bytes of a file. */
function headOf(path: string): string {
  if (!statSync(path).isFile()) return '';
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(16_384);
    return head.toString('utf8', 0, readSync(fd, head)).replace(/^\ufeff/, '');
  } finally {
    closeSync(fd);
  }
}

function modeIn(given: ReadonlyMap<string, string>): Mode | undefined {
  const mode = given.get('--mode');
  return mode === 'sandbox' || mode === 'live' ? mode : undefined;
}

/** fish passes `FOO=1 bizmsg` as two words. */
function afterProgram(words: readonly string[]): readonly string[] {
  const at = words.slice(0, -1).findIndex((word) => /^(?:.*[/\\])?bizmsg(?:\.cmd|\.exe)?$/s.test(word));
  return words.slice(Math.max(at, 0) + 1);
}

/** A command line up to the cursor. */
interface Line {
  /** The words as a shell would pass them, the last one at the cursor. */
  readonly words: readonly string[];
  /** The last word as typed, with its quotes. */
  readonly raw: string;
  /** The quote that is open at the cursor. */
  readonly quote: Quote;
  /** Whether the last word names a file that is read or written. */
  readonly redirects: boolean;
}

type Quote = '' | "'" | '"';

interface Word {
  readonly text: string;
  readonly raw: string;
  readonly quote: Quote;
}

/** Splits the line of bash into words; expands nothing. */
export function lineOf(text: string): Line {
  const words: Word[] = [];
  let at = 0;
  let redirects = false;
  for (;;) {
    at = skipped(text, at);
    const operator = /^\d*(?:&?>>?|<{1,3}|[<>]&)/.exec(text.slice(at))?.[0];
    if (operator !== undefined) {
      redirects = true;
      at += operator.length;
      continue;
    }
    const word = wordAt(text, at);
    at += word.raw.length;
    if (at >= text.length) return finished([...words, word], redirects);
    if (!redirects) words.push(word);
    redirects = false;
  }
}

function finished(words: readonly Word[], redirects: boolean): Line {
  const { raw, quote } = words.at(-1) ?? { raw: '', quote: '' };
  return { words: words.map(({ text }) => text), raw, quote, redirects };
}

function skipped(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at] ?? '')) at++;
  return at;
}

function wordAt(line: string, from: number): Word {
  let quote: Quote = '';
  let text = '';
  let at = from;
  for (; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === quote) quote = '';
    else if (quote === '' && /[\s<>]/.test(character)) break;
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === '\\' && escapes(quote, line[at + 1] ?? '')) text += line[++at] ?? '';
    else text += character;
  }
  return { text, raw: line.slice(from, at), quote };
}

function escapes(quote: Quote, next: string): boolean {
  return quote === '' || (quote === '"' && '"\\$`'.includes(next));
}

/** The lines that the scripts in completions/ read; the first one is the kind. */
type Reply = readonly string[];

/** zsh removes the part before the value itself, and quotes what it inserts. */
function zshReply({ kind, before, words }: Candidates): Reply {
  const cuts = `${before.includes('=') ? '=' : ''}${before.endsWith(',') ? ',' : ''}`;
  const width = Math.max(0, ...words.map(({ text }) => text.length));
  const shown = ({ text, about }: Candidate) => (about ? `${text.padEnd(width)}  -- ${about}` : text);
  return [`${kind}${ending(words)}`, cuts, ...words.map((one) => `${one.text}\t${shown(one)}`)];
}

/** fish and PowerShell insert whole words, and quote them. */
function fishReply({ kind, before, words }: Candidates): Reply {
  return [kind, before, ...words.map(({ text, about }) => `${before}${text}${about ? `\t${about}` : ''}`)];
}

/** bash replaces its own idea of the word with this text, unchanged. */
function bashReply({ kind, before, words }: Candidates, { words: typed, raw, quote }: Line, replaced: string): Reply {
  if (kind !== 'words') return [kind];
  const current = typed.at(-1) ?? '';
  const fitting = words
    .map((one) => ({ ...one, text: before + one.text }))
    .filter(({ text }) => text.startsWith(current));
  const texts = fitting.flatMap(({ text }) => inserted(text, { raw, quote, replaced }) ?? []);
  return [`words${ending(fitting)}`, ...texts];
}

/** Characters that bash may interpret outside of quotes. */
const unsafe = /[^\w./:=+@%,\-\u0080-\u{10ffff}]/u;

interface Place {
  readonly raw: string;
  readonly quote: Line['quote'];
  readonly replaced: string;
}

/** The text for the part that bash replaces; undefined if there is no safe one. */
function inserted(text: string, { raw, quote, replaced }: Place): string | undefined {
  if (!raw.endsWith(replaced)) return undefined;
  const stays = raw.slice(0, raw.length - replaced.length).replace(/["']$/, '');
  // bash would interpret the unquoted part together with the inserted one.
  if (unsafe.test(stays) || !text.startsWith(stays)) return undefined;
  const rest = text.slice(stays.length);
  if (quote === '') return rest.replace(new RegExp(unsafe, 'gu'), String.raw`\$&`);
  return /^[\w ./:=+@%,\-\u00a1-\u{10ffff}]*$/u.test(rest) ? rest : undefined;
}

/** Whether the user continues the same word. */
function ending(words: readonly Candidate[]): string {
  return words.length > 0 && words.every(({ text }) => text.endsWith('=')) ? ' open' : '';
}
