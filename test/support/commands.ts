import { type Command, type Group, whole } from '../../src/cli/command.ts';
import { tree } from '../../src/commands/index.ts';

export interface Named {
  /** For example `contacts create`. */
  readonly name: string;
  readonly command: Command;
}

/** Every command of the tree. */
export const commands: readonly Named[] = within(await whole(tree), []);

function within({ children }: Group, path: readonly string[]): readonly Named[] {
  return children.flatMap((node) => {
    const words = [...path, node.name];
    return node.kind === 'group' ? within(node, words) : [{ name: words.join(' '), command: node }];
  });
}
