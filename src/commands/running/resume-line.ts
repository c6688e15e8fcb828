/** The command line that goes on with what this one began. */
export function resumeLine(typed: readonly string[]): string {
  const words = typed.filter((word) => word !== '--restart' && word !== '--resume' && word !== '--allow-repeat');
  return ['bizmsg', ...words, '--resume'].map(quoted).join(' ');
}

/** For a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
