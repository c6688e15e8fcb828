import { shellWord } from '../../shell-word.ts';

const unsaid: ReadonlySet<string> = new Set(['--restart', '--resume', '--new-key', '--allow-repeat', '--allow-unsure']);

/** The command line that goes on with what this one began. */
export function resumeLine(typed: readonly string[], ...more: readonly string[]): string {
  const end = typed.includes('--') ? typed.indexOf('--') : typed.length;
  const words = typed.slice(0, end).filter((word) => !unsaid.has(word));
  return ['bizmsg', ...words, '--resume', ...more, ...typed.slice(end)].map(shellWord).join(' ');
}
