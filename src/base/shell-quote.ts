import { posixQuote } from './posix-quote.ts';
import { isWindows } from './system.ts';

/** Quotes a word for the shell if needed, so that commands in hints can be pasted. */
export function shellQuote(word: string): string {
  return isWindows ? windowsQuote(word) : posixQuote(word);
}

/** With it, a command in a hint uses the profile and mode that were given; empty if none were. */
export function profileOption(name: string | undefined, mode?: string): string {
  const profile = name === undefined ? '' : ` --profile ${shellQuote(name)}`;
  return mode === undefined ? profile : `${profile} --mode ${mode}`;
}

/** For PowerShell and cmd. Where cmd would read another word, it still runs nothing of it. */
export function windowsQuote(word: string): string {
  if (/^[\w+=:./\\-]+$/.test(word)) return word;
  return `"${word.replace(/[$`\u201c-\u201f]/g, '`$&').replaceAll('"', '""')}"`;
}

/** PowerShell ends a text at typographic quotes, too. */
export function powerShellQuote(word: string): string {
  return `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
