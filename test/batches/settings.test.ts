import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { storeText } from '../commands/profile-store.ts';
import { noteCodes } from '../support/json-lines.ts';
import { openWorld } from '../support/world.ts';

/** A machine whose profile sends only at a time that is never now, and not to one of two people. */
async function machine() {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const file = (name: string, text: string) => {
    writeFileSync(join(world.home, name), text);
    return join(world.home, name);
  };
  const acme = {
    baseUrl: world.url,
    mode: 'sandbox',
    keys: { sandbox: world.sandbox.keys.sandbox },
    country: 'DE',
    hours: 'mon 03:00-03:01 Etc/UTC',
    excludeFrom: file('none.csv', 'phone\n+491701234567\n'),
  };
  storeText(world.home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
  const people = file('people.csv', 'phone\n0170 1234567\n0170 1234568\n');
  return { ...world, people, now: () => Date.UTC(2026, 4, 5, 12) };
}

it("uses a profile's country, hours and excluded phones for messages, and prints them", async () => {
  const { run, people, now } = await machine();
  const { stderr, stdout } = await run(['send-batch', 'welcome', people, '--dry-run'], { env: {}, now });
  expect(stdout).toContain("\nProfile: --country DE · --hours 'mon 03:00-03:01 Etc/UTC' · --exclude-from none.csv\n");
  expect(stdout).toMatch(/ {5}1 to send\n {5}1 not sent {2}excluded\n/);
  expect(stdout).toContain('only mon 03:00-03:01 Etc/UTC, from 2026-05-11 03:00 Etc/UTC');
  expect(stderr).not.toContain('settings of the profile');
});

it('uses only the country for contacts, since the others are about messages', async () => {
  const { run, people, now, sandbox } = await machine();
  const { code, stdout, stderr } = await run(['contacts', 'import', people, '-o', 'json'], { env: {}, now });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { sent: 2, not_sent: 0 }]);
  expect(noteCodes(stderr)).toContain('settings');
  expect(sandbox.contacts().at(-1)).toMatchObject({ phone: '+491701234568' });
});
