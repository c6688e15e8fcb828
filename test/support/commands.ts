import { type Command, commandsBelow } from '../../src/cli/command.ts';
import { tree } from '../../src/commands/index.ts';

export interface Named {
  /** For example `contacts create`. */
  readonly name: string;
  readonly command: Command;
}

/** Every command of the tree that help shows. */
export const commands: readonly Named[] = (await commandsBelow(tree)).map(({ path, command }) => ({
  name: path.join(' '),
  command,
}));
