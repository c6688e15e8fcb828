import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { openHostile } from '../support/fake-service.ts';
import { newWorld, type World } from '../support/world.ts';
import { openStore } from './batches-rig.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const [ada, bo, cy] = ['+12025550141', '+12025550142', '+12025550143'];

const send = async (file: readonly string[], ...words: readonly string[]) => {
  const before = world.sandbox.messages().length;
  const ran = await world.run(['send-batch', 'welcome', ...file, ...words, '-o', 'json']);
  const sent = world.sandbox.messages().slice(before);
  return { ...ran, result: JSON.parse(ran.stdout || '{}'), sent: sent.map(({ to }) => to) };
};

describe('numbers that are not mobile numbers', () => {
  const mobile = Array.from({ length: 9 }, (_, at) => `+4917012345${10 + at}`);
  const live = (phones: readonly string[], ...words: readonly string[]) => {
    world.sandbox.keys.goLive();
    const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
    const file = world.write('people.csv', `phone\n${phones.join('\n')}\n`);
    return world.run(['send-batch', 'welcome', file, '--batch', 'a', '--at-most', '99', ...words], { env });
  };

  it('are counted and shown in a dry run', async () => {
    const phones = [...mobile, '+493012345678'];
    const counts = JSON.parse((await live(phones, '--dry-run', '-o', 'json')).stdout);
    expect(counts).toMatchObject({ to_send: 10, not_mobile: 1 });
    const line = '     1 of these  not a mobile number of its country (line 11)\n';
    expect((await live(phones, '--dry-run')).stdout).toContain(`    10 to send\n${line}`);
  });

  it.each([
    ['a tenth are sent', ['+493012345678'], [], 0, 10],
    ['more than a tenth stop a live script', ['+493012345678', '+493012345679'], [], 11, 0],
    ['Japanese numbers do not become German ones', ['819012345678', '819012345679'], ['DE'], 11, 0],
  ])('%s', async (_, others, [country], code, count) => {
    const words = country === undefined ? [] : ['--country', country];
    const ran = await live([...mobile, ...others], ...words, '-o', 'json');
    const isRefused = ran.stderr.includes('"code":"other-numbers"');
    expect([ran.code, isRefused, world.sandbox.counts().messages]).toEqual([code, code === 11, count]);
  });

  it('do not stop a script with a sandbox key, nor an import', async () => {
    const file = world.write('people.csv', 'phone\n+493012345678\n');
    expect((await world.run(['send-batch', 'welcome', file])).code).toBe(0);
    expect((await world.run(['contacts', 'import', file])).code).toBe(0);
  });
});

it.each([
  ['created', 201, { id: 'c1', name: 'Ada', note: 'x' }, 0, 0],
  ['it was there', 200, { id: 'c1', name: 'Ada' }, 2, 0],
  ['it keeps another name', 200, { id: 'c1', name: 'Old' }, 2, 2],
  ['a record with another name, and 201', 201, { name: 'Old' }, 2, 2],
  ['a phone written in another way is the same', 201, { phone: '12025550141', name: 'Ada' }, 0, 0],
  ['lists and objects are not compared', 201, { name: ['Old'], tags: 'x' }, 2, 2],
])('an import tells a new contact from one that the service had %s', async (_, status, record, before, other) => {
  const { env, home } = await openHostile((__, request, response) => {
    const [code, body] = request.method === 'GET' ? [200, []] : [status, record];
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const file = world.write('people.csv', `phone,name\n${ada},Ada\n${bo},Ada\n`);
  const { stdout } = await world.run(['contacts', 'import', file, '-o', 'json'], { env, home });
  expect(JSON.parse(stdout)).toMatchObject({ sent: 2, known: before, other_data: other });
  const shown = await world.run(['contacts', 'import', file], { env });
  expect(shown.stdout.includes('keep other data: the API cannot change contacts')).toBe(other > 0);
});

it('--test sends the first message to that phone alone, and its batch stays as it was', async () => {
  const file = world.write('people.csv', `phone\n${ada}\n${bo}\n`);
  expect(await send([file], '--test', cy)).toMatchObject({ code: 0, sent: [cy] });
  expect((await send([file])).sent).toEqual([ada, bo]);
});

describe('--from-batch without --map and --country', () => {
  const mobile = 'Mobile Phone';
  beforeEach(async () => {
    const file = world.write('customers.csv', `${mobile},name\n06 12 34 56 78,Ada\n+33612345679,Bo\n12,Cy\n`);
    await send([file], '--map', `${mobile}=phone`, '--country', 'FR', '--batch', 'customers');
  });

  it.each([[[]], [['--country', 'NL']]])('reads the rows as their batch did, and names it: %j', async (words) => {
    const later = await send([], '--from-batch', 'customers', '--batch', 'later', ...words);
    expect(later).toMatchObject({ code: 0, sent: ['+33612345678', '+33612345679'] });
    const { stdout } = await world.run(['batches', 'show', 'later']);
    expect(stdout).toContain(' · batch customers, 2 rows, ');
    const { result } = await send([], '--from-batch', 'customers:failed', '--batch', 'rest');
    expect(result).toMatchObject({ rows: 1, failed: 1 });
  });

  it('has the phones of rows whose cells are erased', async () => {
    const store = await openStore(join(world.home, '.local/state/bizmsg/local.db'));
    await store.write(() => query('UPDATE item SET body = NULL, cells = NULL'));
    const { sent } = await send([], '--from-batch', 'customers', '--batch', 'later');
    expect(sent).toEqual(['+33612345678', '+33612345679']);
  });
});

it('a report has the same people for --exclude-from if another country is in use', async () => {
  const file = world.write('french.csv', 'phone,name\n06 12 34 56 78,Ada\n06 12 34 56 79,Bo\n');
  await send([file], '--country', 'FR', '--batch', 'french');
  const report = await world.run(['batches', 'report', 'french', '-o', 'csv']);
  const people = world.write('people.csv', `phone\n+33612345678\n+33612345679\n${cy}\n`);
  const words = ['--country', 'NL', '--exclude-from', world.write('report.csv', report.stdout)];
  expect((await send([people], '--batch', 'third', ...words)).sent).toEqual([cy]);
});

it.each([
  ['spells the column in another way', 'City', []],
  ['has another column', 'town', ['--where', 'town=Bonn']],
])('keeps the people of --where waiting if a later file %s', async (_, column, words) => {
  const first = world.write('first.csv', `phone,city\n${ada},Bonn\n${bo},Bonn\n`);
  await send([first], '--batch', 'autumn', '--where', 'city=Bonn', '--first', '1');
  const later = world.write('later.csv', `phone,${column}\n${cy},Bonn\n`);
  const { code, result } = await send([later], '--batch', 'autumn', ...words);
  expect([code, result.others]).toEqual([10, 1]);
});

it('reads a file as UTF-8 if it is, although its batch keeps another encoding', async () => {
  const old = world.write('old.csv', Buffer.from(`phone,name\n${ada},K\xe4the\n`, 'latin1'));
  const update = (file: string, ...words: readonly string[]) =>
    world.run(['send-batch', 'order_update', file, '--batch', 'autumn', ...words]);
  await update(old, '--encoding', 'windows-1252', '-p', ':name', '-p', 'A-1');
  await update(world.write('new.csv', `phone,name\n${bo},Jürgen\n`));
  expect(world.sandbox.messages().map(({ params }) => params?.[0])).toEqual(['Käthe', 'Jürgen']);
});

it('counts each line of NDJSON that cannot be read', async () => {
  const { result } = await send(
    [world.write('people.ndjson', `{"phone":"${ada}"}\n{"phone"\n{x\n`)],
    '--batch',
    'autumn',
  );
  expect(result).toMatchObject({ rows: 3, failed: 2 });
});
