import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { unknownOption } from './option.ts';
import { surplus } from './surplus.ts';
import type { Line } from './line.ts';

/** What the parser refused, with what to do next. */
export function misread(line: Line, { code, message }: { readonly code: string; readonly message: string }): CliError {
  const text = message.replace(/^error: /, '').split('\n')[0] ?? '';
  if (code === 'commander.unknownOption') return unknownOption(line, text);
  if (code === 'commander.excessArguments') return surplus(line);
  return usage(text, `see ${line.path.join(' ')} --help`);
}
