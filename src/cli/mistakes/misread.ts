import { type CliError, usage } from '../../base/errors.ts';
import { unknownOption } from './option.ts';
import { surplus } from './surplus.ts';
import { argumentsOf, type Line, typedIn } from './line.ts';

/** What the parser refused, with what to do next. */
export function misread(line: Line, { code, message }: { readonly code: string; readonly message: string }): CliError {
  const text = message.replace(/^error: /, '').split('\n')[0] ?? '';
  if (code === 'commander.unknownOption') return isOfCommand(line) ? surplus(line) : unknownOption(line, text);
  if (code === 'commander.excessArguments') return surplus(line);
  return usage(text, `see ${line.path.join(' ')} --help`);
}

/** `sandbox exec npm test --watch`: the option belongs to what should stand after `--`. */
function isOfCommand(line: Line): boolean {
  const typed = typedIn(line);
  const before = typed.slice(
    0,
    typed.findIndex((one) => one.is === 'unknown'),
  );
  const words = before.filter((one) => one.is === 'word');
  return Object.values(line.node.params).some(({ kind }) => kind === 'rest') && words.length > argumentsOf(line).length;
}
