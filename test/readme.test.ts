import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reference } from '../src/cli/reference.ts';
import { tree } from '../src/commands/index.ts';
import { readme } from './support/readme.ts';

it('holds the reference that the tree makes; npm run docs writes it', () => {
  const [, written] = /<!-- reference -->\n(.*)<!-- \/reference -->/s.exec(readme) ?? [];
  expect(written).toBe(reference(tree));
});

it('shows on its first screen what it is, the command that sends and the command that tests', () => {
  const screen = readme.split('\n').slice(0, 24).join('\n');
  expect(screen).toContain(
    'npm ci && npx bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile local',
  );
  expect(screen).toContain('npm test');
});

it('shows a test that is one of ours', () => {
  const example = readFileSync(new URL('examples/sandbox.test.ts', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
});
