import { argument, knowing } from '../../cli/params.ts';
import { shell, shells } from '../../cli/values.ts';

export const shellParam = knowing(
  { of: shells },
  argument('[shell]', `the shell: ${shells.join(', ')} (that of SHELL)`, shell),
);
