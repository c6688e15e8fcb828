import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountKeys, openApi } from '../support/api.ts';
import { newHome } from '../support/fake-service.ts';
import { blocksIn, stepsIn } from '../support/docs.ts';
import { noTerminal } from '../support/terminal.ts';
import { openReader } from './docs-rig.ts';

beforeEach((context) => context.skip(noTerminal !== undefined, noTerminal));

const [loggedIn = '', unasked = ''] = blocksIn('docs/accounts-and-live-keys.md', 'Log in', 2);
const [other = ''] = blocksIn('docs/accounts-and-live-keys.md', 'One business, several profiles', 1);
const [live = ''] = blocksIn('docs/accounts-and-live-keys.md', 'Live keys', 1);
const practised = blocksIn('docs/accounts-and-live-keys.md', 'Practice with the sandbox', 3);
const [unsure = ''] = blocksIn('docs/accounts-and-live-keys.md', 'When it is not known what was sent', 1);

/** The prompts of the commands, with their answers. */
const answers = {
  'bizmsg login': [
    ['Name of the profile', 'acme'],
    ['Base URL of the API', 'https://api.example.com'],
    ['API key', accountKeys.sandbox],
    ['Plan of the account', ''],
  ],
  'bizmsg login --profile acme': [
    ['API key', accountKeys.live],
    ['Use it now?', 'n'],
  ],
  'bizmsg keys switch-mode live --profile acme': [['(y/N)', 'y']],
} as const;

/** Sent twice; only the second time prompts. */
const repeated = 'bizmsg send-template +12025550101 order_update -p Ada -p A-1042 --profile practice; echo "exit $?"';

describe('the page about accounts', () => {
  it('logs in, renews a key, adds a live key and activates it', async () => {
    const home = newHome();
    writeFileSync(join(home, 'key.txt'), accountKeys.sandbox);
    const { enter, follow } = openReader({ home, env: await openApi() });
    for (const block of [loggedIn, unasked, other, live]) expect(await follow(block, { answers })).toEqual([]);
    const commands = stepsIn(loggedIn + live).map(({ command }) => command);
    expect(commands).toEqual(expect.arrayContaining(Object.keys(answers)));
    expect((await enter('bizmsg whoami')).printed).toContain('Mode     live');
  });

  it('practices with keys of the sandbox, prompts before it repeats a live message, and switches back', async () => {
    const { enter, follow } = openReader({ local: (text) => text.replace(/\b(just now|\d+ s ago)/, 'SOME TIME ago') });
    const found = [];
    for (const block of practised) found.push(await follow(block, { answers: { [repeated]: [['(y/N)', 'n']] } }));
    expect(found).toEqual([[], [], []]);
    expect((await enter('bizmsg profiles list')).printed).toContain('No profiles');
  });

  it('refuses to send a message twice that may have been sent', async () => {
    const { follow } = openReader({ local: (text) => text.replace(/\b(just now|\d+ s ago)/, 'SOME TIME ago') });
    expect(await follow(unsure)).toEqual([]);
  });
});
