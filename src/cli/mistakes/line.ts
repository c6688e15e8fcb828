import type { Command } from '../command.ts';
import { optionAt } from '../option-word.ts';
import type { Param, Params } from '../params.ts';

/** A command line that was taken for this command, and does not fit it. */
export interface Line {
  /** The words that lead to the command, the program's name first. */
  readonly path: readonly string[];
  readonly node: Command;
  /** Its own and the global ones. */
  readonly params: Params;
  /** What was typed besides the path. */
  readonly argv: readonly string[];
}

/** An option with its value, or a word that stands alone. */
export interface Typed {
  readonly is: 'word' | 'flag' | 'option' | 'unknown';
  /** As it was typed; of an option, its name. */
  readonly text: string;
  readonly value: string | undefined;
  readonly param: Param<unknown> | undefined;
}

/** The words of a line, in order. */
export function typedIn({ argv, params, node }: Line): readonly Typed[] {
  const found: Typed[] = [];
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  for (let at = 0; at < end; at++) {
    const text = argv[at] ?? '';
    const { name, param, inline } = optionAt(text, params);
    if (param?.kind === 'option') found.push({ is: 'option', text: name, value: inline ?? argv[++at], param });
    else if (param) found.push({ is: 'flag', text: name, value: undefined, param });
    else if (!/^-./.test(text)) found.push({ is: 'word', text, value: undefined, param });
    // It may be its value.
    else found.push({ is: 'unknown', text: name, value: inline ?? plain(argv[at + 1]), param });
  }
  const isOurs = !Object.values(node.params).some(({ kind }) => kind === 'rest');
  const after = isOurs ? argv.slice(end + 1) : [];
  return [...found, ...after.map((text) => ({ is: 'word' as const, text, value: undefined, param: undefined }))];
}

/** The names that stand for the arguments of a command, such as `file`. */
export function argumentsOf({ node }: Line): readonly string[] {
  const specs = Object.values(node.params).filter(({ kind }) => kind === 'argument');
  return specs.map(({ spec }) => spec.replace(/[<[\].>]/g, ''));
}

function plain(word: string | undefined): string | undefined {
  return word?.startsWith('-') === true ? undefined : word;
}
