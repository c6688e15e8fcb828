import { describe, expect, it } from 'vitest';
import { type Group, type Node, opened } from '../../src/cli/command.ts';
import { globals } from '../../src/cli/globals.ts';
import { tree } from '../../src/commands/index.ts';
import { commands } from '../support/commands.ts';

const verbs =
  /^(Activate|Add|Advance|Change|Check|Choose|Clear|Close|Create|Delete|Deliver|Fill|Forget|Freeze|Have|Inject|Install|Keep|Let|List|Load|Make|Manage|Move|Open|Print|Receive|Record|Register|Remove|Reset|Revoke|Rotate|Run|Send|Set|Share|Show|Sign|Start|Stop|Store|Switch|Trigger|Uninstall)\b/;

const nodes = await nodesIn(tree);

describe('the summary', () => {
  it.each(nodes)('of $name starts with a verb and has no full stop', ({ summary }) => {
    expect(summary).toMatch(verbs);
    expect(summary).not.toMatch(/\.$/);
  });
});

/** Parameters with a different meaning in each command. */
const ambiguous = new Set([
  '<event>',
  '<file>',
  '<id>',
  '<name>',
  '[id]',
  '[ids...]',
  '--again',
  '--all',
  '--failed',
  '--limit <n>',
  '--live',
  '--plan <name>',
  '--port <port>',
  '--rate <rate>',
  '--resend <rows>',
  '--set <key=value>',
  '--since <span>',
  '--template <name>',
  '--to <phone>',
  '--within <duration>',
  '-p, --param <value>',
]);

describe('a parameter', () => {
  const described = commands.flatMap(({ command }) => Object.values(command.params));
  const specs = [...new Set(described.map(({ spec }) => spec))].filter((spec) => !ambiguous.has(spec));

  it.each(specs)('%s has the same description in all commands', (spec) => {
    const texts = described.filter((param) => param.spec === spec).map(({ description }) => bare(description));
    expect([...new Set(texts)]).toHaveLength(1);
  });

  it.each([...described, ...Object.values(globals)])(
    '$spec is described by a phrase: $description',
    ({ description }) => {
      expect(description).toMatch(/^(?:[a-z]|CSV\b|20\/s)/);
      expect(description).not.toMatch(/\.$/);
    },
  );
});

describe('the detailed help', () => {
  it.each(commands.filter(({ command }) => command.details))('of $name consists of sentences', ({ command }) => {
    const last = command.details?.split('\n').at(-1) ?? '';
    expect(last).toMatch(/^ |[.)]$|: bizmsg /);
  });
});

function bare(text: string): string {
  return text.replace(/^with --\w+: | \([^()]*\)$/g, '');
}

async function nodesIn({ children }: Group): Promise<readonly Node[]> {
  const shown = await Promise.all(children.filter(({ isHidden }) => !isHidden).map(opened));
  const below = shown.map(async (node) => (node.kind === 'group' ? [node, ...(await nodesIn(node))] : [node]));
  return (await Promise.all(below)).flat();
}
