const unsaid: ReadonlySet<string> = new Set(['--restart', '--resume', '--allow-repeat', '--allow-unsure']);

/** The command line that goes on with what this one began. */
export function resumeLine(typed: readonly string[]): string {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const words = typed.slice(0, end).filter((word) => !unsaid.has(word));
  return ['bizmsg', ...words, '--resume', ...typed.slice(end)].map(quoted).join(' ');
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
