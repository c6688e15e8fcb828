import type { Command } from './command.ts';

export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly Node[];
}

export type Node = Command | Group;

/** A node that is loaded on demand, for a fast start. */
export interface Door {
  readonly kind: 'door';
  readonly to: Node['kind'];
  readonly name: string;
  readonly summary: string;
  open(): Promise<Node>;
}

export interface Tree {
  readonly kind: 'tree';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly (Command | Door)[];
}

export function group(name: string, summary: string, children: readonly Node[]): Group {
  return { kind: 'group', name, summary, children };
}

export function groupDoor(name: string, summary: string, load: () => Promise<readonly Node[]>): Door {
  return { kind: 'door', to: 'group', name, summary, open: async () => group(name, summary, await load()) };
}

/** A command that is loaded on demand. A test compares the name and summary with the command's. */
export function commandDoor(name: string, summary: string, open: () => Promise<Command>): Door {
  return { kind: 'door', to: 'command', name, summary, open };
}

/** The tree with all nodes loaded. */
export async function whole({ name, summary, children }: Tree): Promise<Group> {
  const nodes = children.map(async (child) => (child.kind === 'door' ? child.open() : child));
  return group(name, summary, await Promise.all(nodes));
}
