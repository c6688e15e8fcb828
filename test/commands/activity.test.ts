import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadSqlite } from '../../bin/sqlite.js';
import { deadPort } from '../client/servers.ts';
import { cli } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { modeOf, ownFile, ownFolder } from '../support/system.ts';
import { type Machine, message, openMachine, spoilLog } from './activity-rig.ts';

let machine: Machine;
beforeEach(async () => {
  machine = await openMachine();
});

describe('activity', () => {
  it('is empty at first, and needs no key', async () => {
    const { code, stdout, stderr } = await cli(['activity', '-o', 'json'], { home: newHome() });
    expect([code, stdout, stderr]).toEqual([0, '[]\n', '']);
  });

  it('shows the outcome and the recipient on a terminal of 80 columns', async () => {
    await machine.run(message);
    await machine.run(message);
    const { stdout } = await cli(['activity', '--no-color'], { home: machine.home, terminal: 80 });
    expect(stdout.split('\n')[0]).toMatch(/^at +outcome +command +recipient +message_id$/);
  });

  it('shows the outcome and the command on a terminal of 54 columns', async () => {
    await machine.run(['contacts', 'create', '--set', 'phone=+12025550142']);
    await machine.run(['contacts', 'create', '--set', 'phone=+12025550143']);
    const { stdout } = await cli(['activity', '--no-color'], { home: machine.home, terminal: 54 });
    expect(stdout.split('\n')[0]).toMatch(/^at +outcome +command +recipient +profile$/);
  });

  it('lists a send with its time, profile, mode, recipient and message id', async () => {
    const { stdout } = await machine.run(message);
    const rows = await machine.rows();
    expect(rows).toEqual([
      expect.objectContaining({
        at: expect.stringMatching(/^20\d\d-.*Z$/),
        outcome: 'done',
        mode: 'sandbox',
        simulated: true,
        profile: 'local',
        host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        command: 'send-template',
        method: 'POST',
        endpoint: '/api/public/messages/send-template',
        template: 'order_update',
        recipient: '+1202***0101',
        message_id: stdout.trim(),
        about: null,
      }),
    ]);
  });

  it.each([
    ['contacts create --set phone=+12025550142', { command: 'contacts create', recipient: '+1202***0142' }],
    ['api /api/public/contacts -f phone=+12025550142', { command: 'api', outcome: 'done', message_id: null }],
    ['api -X DELETE /api/public/contacts/12025550142', { method: 'DELETE', outcome: 'refused' }],
    [
      'api /api/public/messages/send-template --input m.json',
      { command: 'api', template: 'welcome', message_id: expect.stringMatching(/^msg_/) },
    ],
    ['send-template +12025550101 none_such', { outcome: 'refused', about: '404 not-found' }],
  ])('lists %s', async (line, row) => {
    const file = join(machine.home, 'm.json');
    writeFileSync(file, '{"to":"+12025550101","template":"welcome","params":[]}');
    await machine.run(line.replace('m.json', file).split(' '));
    expect(await machine.rows()).toEqual([expect.objectContaining(row)]);
  });

  it.each([
    'templates list',
    'contacts list',
    'api /api/public/templates',
    'send-template +12025550101 welcome --dry-run',
  ])('does not list %s, which changes nothing', async (line) => {
    await machine.run(line.split(' '));
    expect(await machine.rows()).toEqual([]);
  });

  it('does not list a command that is refused before it sends anything', async () => {
    await machine.run(['send-template', '12', 'welcome']);
    await machine.run(['api', '-X', 'POST', '//elsewhere.example']);
    expect(await machine.rows()).toEqual([]);
  });

  it('marks a send as unsure if the response was lost', async () => {
    await machine.breakNextSend();
    expect((await machine.run(message)).code).toBe(13);
    expect(await machine.rows()).toMatchObject([{ outcome: 'unsure', about: 'may have been done: connection-lost' }]);
  });

  it('marks a send as failed if it never reached the service', async () => {
    const env = { BIZMSG_BASE_URL: `http://127.0.0.1:${await deadPort()}`, BIZMSG_API_KEY: 'sk_test_0123456789abcdef' };
    await cli([...message, '--retries', '0'], { home: machine.home, env });
    expect(await machine.rows()).toMatchObject([
      { outcome: 'failed', profile: 'environment', simulated: false, about: 'unreachable' },
    ]);
  });

  it('lists a run once, with its counts', async () => {
    const file = join(machine.home, 'people.csv');
    writeFileSync(file, 'phone\n+12025550141\n12\n');
    const { stdout } = await machine.run(['contacts', 'import', file, '-o', 'json']);
    const { run }: { readonly run: string } = JSON.parse(stdout);
    expect(await machine.rows()).toMatchObject([
      {
        command: 'contacts import',
        outcome: 'partial',
        run,
        counts: { rows: 2, done: 1, failed: 1, unsure: 0, unsent: 0 },
        about: `1 of 2 rows, 1 failed: see runs show ${run}`,
      },
    ]);
    expect(machine.written()).not.toContain('12025550141');
  });

  it('marks a run as done if it skipped rows, or left rows beyond --first', async () => {
    const file = join(machine.home, 'people.csv');
    writeFileSync(file, 'phone\n+12025550141\n+12025550142\n');
    for (const words of [['--first', '1'], [], []])
      await machine.run(['contacts', 'import', file, '--job', 'people', ...words]);
    expect(await machine.rows()).toMatchObject([
      { outcome: 'done', counts: { done: 1, unsent: 1 } },
      { outcome: 'done', counts: { done: 1, unsent: 0 } },
      { outcome: 'done', counts: { done: 0, unsent: 0 } },
    ]);
  });

  it('lists the newest last, as many as --limit asks for', async () => {
    for (const name of ['a', 'b', 'c']) await machine.run(['contacts', 'create', '--set', `name=${name}`]);
    const at = async (...words: string[]) =>
      (await cli(['activity', '--columns', 'at', '--no-header', ...words], { home: machine.home })).stdout.split('\n');
    const [first = '', second = '', third = ''] = await at();
    expect([first <= second, second <= third]).toEqual([true, true]);
    expect(await at('--limit', '2')).toEqual([second, third, '']);
  });

  it.each([
    ['--where mode=live', ['live']],
    ['--type send-template', ['sandbox', 'live']],
    ['--type send-batch,contacts', []],
    ['--failed', ['sandbox']],
  ])('filters by %s', async (words, modes) => {
    await machine.run(['send-template', '+12025550101', 'none_such']);
    await machine.live(message);
    expect((await machine.rows(...words.split(' '))).map(({ mode }) => mode)).toEqual(modes);
  });

  it('leaves out older calls with --since', async () => {
    await machine.run(message, { now: () => Date.now() - 3 * 60 * 60_000 });
    await machine.run(message);
    expect([(await machine.rows('--since', '2h')).length, (await machine.rows('--since', '4h')).length]).toEqual([
      1, 2,
    ]);
  });

  it('ends with 3 if the log is unreadable: an empty list would look as if nothing was sent', async () => {
    spoilLog(machine);
    expect((await cli(['activity'], { home: machine.home })).code).toBe(3);
  });

  it('does not create a log', async () => {
    await machine.rows();
    expect(existsSync(machine.log)).toBe(false);
  });

  it('is readable only by this user', async () => {
    await machine.live(message);
    const modes = [dirname(machine.log), machine.log].map((path) => modeOf(path));
    expect(modes).toEqual([ownFolder, ownFile]);
  });

  it('contains no key, recipient or param', async () => {
    await machine.live(message);
    await machine.run(['send-template', '+12025550101', 'none_such', '-p', 'Ada Lovelace']);
    await machine.run(['api', '/api/public/contacts', '-f', 'phone=+12025550101', '-f', 'name=Ada Lovelace']);
    const { sandbox, live } = machine.sandbox.keys;
    for (const secret of [sandbox, live, sandbox.slice(-8), live.slice(-8), '2025550101', 'Ada', 'A-1042'])
      expect(machine.written()).not.toContain(secret);
  });
});

it('a damaged log is moved aside with a note, and starts again', async () => {
  await machine.run(message);
  writeFileSync(machine.log, 'damaged'.repeat(1_000));
  const { code, stderr } = await machine.run(message);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/note: .*logs\.db was damaged and starts again/)]);
  expect(await machine.rows()).toMatchObject([{ outcome: 'done' }]);
});

it('a log that another process has locked for too long makes a send wait for a moment only', async () => {
  await machine.run(message);
  const other = locked(machine.log);
  const { code, stderr } = await machine.run(message);
  other.close();
  expect([code, stderr]).toEqual([0, expect.stringContaining('bizmsg activity will not list this: ')]);
});

describe('a Node without SQLite', () => {
  const sqlite = () => undefined;

  it('sends, and notes that this is not recorded', async () => {
    const { code, stderr } = await machine.run([...message, '--mode', 'sandbox'], { sqlite });
    expect([code, stderr]).toEqual([0, expect.stringContaining('bizmsg activity will not list this: this version of')]);
    expect(await machine.rows()).toEqual([]);
  });

  it('cannot list activity', async () => {
    const { code, stderr } = await cli(['activity'], { home: machine.home, sqlite });
    expect([code, stderr]).toEqual([3, expect.stringContaining('npm install --global @photostructure/sqlite')]);
  });
});

describe('a log that cannot be written', () => {
  it.each(['run', 'live'] as const)('does not stop a send (%s), and is reported', async (way) => {
    spoilLog(machine);
    const { code, stderr } = await machine[way](message);
    expect([code, stderr.match(/bizmsg activity will not list this/g)?.length]).toEqual([0, 1]);
  });

  it('is not reported with --quiet; a second send of a live message is refused', async () => {
    spoilLog(machine);
    const { code, stderr } = await machine.live([...message, '--quiet']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('bizmsg activity')]);
    expect((await machine.live([...message, '--quiet'])).code).toBe(11);
  });
});

/** Locks the log, as another process would. */
function locked(path: string) {
  const sqlite = loadSqlite();
  if (!sqlite) throw new Error('this test needs SQLite');
  const connection = new sqlite.DatabaseSync(path, { timeout: 0 });
  connection.exec('BEGIN EXCLUSIVE');
  return connection;
}
