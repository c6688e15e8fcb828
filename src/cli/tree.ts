import type { Command } from './command.ts';

export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly Node[];
}

export type Node = Command | Group;

/** A node that is loaded on demand, for a fast start. */
export interface LazyNode {
  readonly kind: 'lazy';
  readonly to: Node['kind'];
  readonly name: string;
  readonly summary: string;
  open(): Promise<Node>;
}

export interface Tree {
  readonly kind: 'tree';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly (Command | LazyNode)[];
}

export function group(name: string, summary: string, children: readonly Node[]): Group {
  return { kind: 'group', name, summary, children };
}

export function lazyGroup(name: string, summary: string, load: () => Promise<readonly Node[]>): LazyNode {
  return { kind: 'lazy', to: 'group', name, summary, open: async () => group(name, summary, await load()) };
}

/** A command that is loaded on demand. A test compares the name and summary with the command's. */
export function lazyCommand(name: string, summary: string, open: () => Promise<Command>): LazyNode {
  return { kind: 'lazy', to: 'command', name, summary, open };
}

/** The tree with all nodes loaded. */
export async function whole({ name, summary, children }: Tree): Promise<Group> {
  const nodes = children.map(async (child) => (child.kind === 'lazy' ? child.open() : child));
  return group(name, summary, await Promise.all(nodes));
}
