import { posixQuote } from './posix-quote.ts';
import { isWindows } from './system.ts';

/** Quotes a word for the shell if needed, so that commands in hints can be pasted. */
export function shellQuote(word: string): string {
  return isWindows ? windowsQuote(word) : posixQuote(word);
}

/** With it, a command in a hint uses the profile that was given; empty if none was. */
export function profileOption(name: string | undefined): string {
  return name === undefined ? '' : ` --profile ${shellQuote(name)}`;
}

/** For cmd and PowerShell; for PowerShell alone if they differ. */
export function windowsQuote(word: string): string {
  if (/^[\w+=:./\\-]+$/.test(word)) return word;
  return /["$`%!\u201c-\u201f]/.test(word) ? powerShellQuote(word) : `"${word}"`;
}

/** PowerShell ends a text at typographic quotes, too. */
export function powerShellQuote(word: string): string {
  return `'${word.replace(/['\u2018-\u201b]/g, '$&$&')}'`;
}
