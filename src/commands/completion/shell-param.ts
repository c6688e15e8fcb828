import { argument, knowing } from '../../cli/params.ts';
import { shell, shells } from '../../cli/values.ts';

export const shellParam = knowing(
  { of: shells },
  argument('[shell]', `${shells.join(', ')}; the one of SHELL when left out`, shell),
);
