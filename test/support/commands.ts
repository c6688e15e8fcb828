import { commandsBelow } from '../../src/cli/command.ts';
import { tree } from '../../src/commands/index.ts';

/** Every command of the tree that help shows. */
export const commands = (await commandsBelow(tree)).map(({ path, command }) => ({
  name: path.join(' '),
  command,
}));

/** Its name is for example `contacts create`. */
export type Named = (typeof commands)[number];
