import { expect, it } from 'vitest';
import type { Told } from '../../src/batches/options.ts';
import { mergeTold, toldOf } from '../../src/batches/settings.ts';
import { storeText } from '../commands/profile-store.ts';
import { noteCodes } from '../support/json-lines.ts';
import { thrown } from '../support/thrown.ts';
import { newWorld } from '../support/world.ts';

/** A machine whose profile sends only at a time that is never now, and not to one of two people. */
async function machine() {
  const world = await newWorld();
  const acme = {
    baseUrl: world.url,
    mode: 'sandbox',
    keys: { sandbox: world.sandbox.keys.sandbox },
    country: 'DE',
    hours: 'mon 03:00-03:01 Etc/UTC',
    excludeFrom: world.write('none.csv', 'phone\n+491701234567\n'),
  };
  storeText(world.home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
  const people = world.write('people.csv', 'phone\n0170 1234567\n0170 1234568\n');
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

it.each<[string, Told, Parameters<typeof mergeTold>[1], Told]>([
  ['keeps what is not typed', { where: ['a=1'] }, { param: [], where: [] }, { where: ['a=1'] }],
  ['replaces what is typed', { param: [':a'], rate: '20/s' }, { param: ['x', ''] }, { param: ['x', ''], rate: '20/s' }],
  ['keeps an empty variable', {}, { param: [''] }, { param: [''] }],
  ['drops --where', { where: ['a=1'], hours: 'x' }, { noWhere: true }, { hours: 'x' }],
  ['drops --hours before it adds others', { hours: 'x' }, { noHours: true, hours: 'y' }, { hours: 'y' }],
])('%s', (_name, stored, typed, told) => {
  expect(toldOf(JSON.stringify(mergeTold(stored, typed)))).toEqual(told);
});

it('reads what it wrote, without other fields', () => {
  const told = { param: [':name'], country: 'DE' };
  expect(toldOf(JSON.stringify({ ...told, command: 'rm -rf /' }))).toEqual(told);
});

it.each(['', '[]', 'null', '{"param":"x"}', '{"param":[1]}', '{"country":7}'])(
  'refuses the damaged text %j',
  (json) => {
    expect(thrown(() => toldOf(json))).toMatchObject({ exit: 'configuration', code: 'database-damaged' });
  },
);
