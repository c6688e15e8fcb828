import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { errorIn } from '../support/json-lines.ts';
import { isLong } from '../support/long-tests.ts';
import { openWorld, type World } from '../support/world.ts';

const seeds = Array.from({ length: isLong ? 10 : 2 }, (_, index) => `vary:${index}`);
const lists = [
  ['contacts', 5],
  ['templates', 7],
  ['campaigns', 3],
] as const;
const send = ['send-template', '+12025550101', 'order_update', '-p', 'Ada', '-p', 'A-1042'];
const create = ['contacts', 'create', '--set', 'phone=+12025550142', '--set', 'name=Ada'];

function records(json: string): readonly Readonly<Record<string, unknown>>[] {
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error(`not an array: ${json}`);
  const rows: readonly unknown[] = value;
  return rows.filter(isRecord);
}

/** Varies what the document leaves open; no test depends on it. */
describe.each(['default', 'bare', ...seeds])('against a service in shape %s', (shape) => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld({ shape });
  });
  afterEach(() => world.close());

  const withKey = (key: string) => ({ env: { ...world.env, BIZMSG_API_KEY: key } });

  it('a send makes one call and prints only the message_id', async () => {
    const { code, stdout } = await world.run(send);
    expect([code, stdout]).toEqual([0, `${world.sandbox.messages()[0]?.id}\n`]);
    expect(world.sandbox.messages()).toHaveLength(1);
  });

  it.each([
    { argv: ['-o', 'json'], print: (id: string) => expect.stringContaining(`"message_id":"${id}"`) },
    { argv: ['-o', 'ndjson'], print: (id: string) => expect.stringContaining(`"message_id":"${id}"`) },
    { argv: ['-o', 'id'], print: (id: string) => `${id}\n` },
    { argv: ['--columns', 'message_id', '-o', 'tsv'], print: (id: string) => `message_id\n${id}\n` },
    { argv: ['--columns', 'message_id', '-o', 'csv', '--no-header'], print: (id: string) => `${id}\n` },
    { argv: ['--query', 'message_id'], print: (id: string) => `${id}\n` },
    { argv: ['--query', 'message_id', '-o', 'json'], print: (id: string) => `"${id}"\n` },
  ])('a send prints the message_id with $argv', async ({ argv, print }) => {
    const { code, stdout } = await world.run([...send, ...argv]);
    expect([code, stdout]).toEqual([0, print(world.sandbox.messages()[0]?.id ?? '')]);
  });

  it.each(lists)('%s in JSON are an array of their records', async (what, length) => {
    const { code, stdout, stderr } = await world.run([what, 'list', '-o', 'json']);
    expect([code, records(stdout).length]).toEqual([0, length]);
    expect(stderr).not.toContain('no-single-list');
  });

  it.each(lists)(
    '%s are a line each in NDJSON, and a line each below a header in TSV and CSV',
    async (what, length) => {
      const lines = async (form: string) => (await world.run([what, 'list', '-o', form])).stdout.split('\n').length - 1;
      expect([await lines('ndjson'), await lines('tsv'), await lines('csv')]).toEqual([length, length + 1, length + 1]);
    },
  );

  it.each(['contacts', 'campaigns'])('%s have ids, one per line', async (what) => {
    const { code, stdout } = await world.run([what, 'list', '-o', 'id']);
    const known = what === 'contacts' ? world.sandbox.contacts() : world.sandbox.campaigns();
    const ids = known.map(({ id }) => `${id}\n`).join('');
    // A service may omit ids.
    expect([code, stdout]).toEqual(code === 2 ? [2, ''] : [0, ids]);
  });

  it('a created contact is in the list', async () => {
    const created = await world.run([...create, '-o', 'json']);
    const { code, stdout } = await world.run(['contacts', 'list', '-o', 'json']);
    expect([created.code, code]).toEqual([0, 0]);
    expect(records(stdout).filter((contact) => Object.values(contact).includes('+12025550142'))).toHaveLength(1);
  });

  it('creating an existing contact is not a failure', async () => {
    await world.run(create);
    expect((await world.run(create)).code).toBe(0);
    expect(world.sandbox.contacts()).toHaveLength(6);
  });

  it.each([{ argv: [] }, { argv: ['-o', 'csv'] }, { argv: ['-o', 'id'] }, { argv: ['--columns', 'nowhere'] }])(
    'creating a contact succeeds with any response body, printed with $argv',
    async ({ argv }) => {
      const { code, stderr } = await world.run([...create, ...argv]);
      expect([code, world.sandbox.contacts().length]).toEqual([0, 6]);
      expect(stderr).not.toContain('error');
    },
  );

  it('--all lists each contact of all pages once', async () => {
    const phones = Array.from({ length: 120 }, (_, index) => `+1202555${2000 + index}`);
    const headers = { authorization: `Bearer ${world.sandbox.keys.sandbox}`, 'content-type': 'application/json' };
    const { method, path: target } = endpoints.createContact;
    for (const phone of phones)
      await world.sandbox.answer({ method, target, headers, body: JSON.stringify({ phone, name: phone }) });
    const { code, stdout } = await world.run(['contacts', 'list', '--all', '-o', 'json']);
    expect(code).toBe(0);
    expect(records(stdout)).toHaveLength(125);
    expect(phones.filter((phone) => !stdout.includes(`"${phone}"`))).toEqual([]);
    expect(new Set(records(stdout).map((contact) => JSON.stringify(contact))).size).toBe(125);
  });

  it('--limit cuts the list, with a note', async () => {
    const { code, stdout, stderr } = await world.run(['templates', 'list', '--limit', '2', '-o', 'json']);
    expect([code, records(stdout).length]).toEqual([0, 2]);
    expect(stderr).toContain('showing 2 of the 7');
  });

  it('--query selects fields of the records of a list', async () => {
    const { code, stdout } = await world.run(['campaigns', 'list', '--query', 'length(@)']);
    expect([code, stdout]).toEqual([0, '3\n']);
  });

  it('api prints the body of a GET unchanged, and -i its status and headers before it', async () => {
    const plain = await world.run(['api', endpoints.listContacts.path]);
    const { code, stdout } = await world.run(['api', '-i', endpoints.listContacts.path]);
    const raw = await world.sandbox.answer({
      method: 'GET',
      target: endpoints.listContacts.path,
      headers: { authorization: `Bearer ${world.sandbox.keys.sandbox}` },
      body: '',
    });
    expect([plain.code, plain.stdout, code]).toEqual([0, raw.body, 0]);
    expect(stdout).toMatch(/^HTTP 200\n/);
    expect(stdout.endsWith(`\n\n${raw.body}`)).toBe(true);
  });

  it('api sends a POST if it has a field', async () => {
    const { code } = await world.run([
      'api',
      endpoints.createContact.path,
      '-f',
      'phone=+12025550142',
      '-F',
      'attributes.visits=3',
      '-F',
      'attributes.vip=true',
    ]);
    expect(code).toBe(0);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({
      phone: '+12025550142',
      attributes: { visits: 3, vip: true },
    });
  });

  it.each([
    { what: 'an unknown template', argv: ['send-template', '+12025550101', 'none_such'], exit: 5, done: 'no' },
    { what: 'a template that is not approved', argv: ['send-template', '+12025550101', 'regalo'], exit: 5, done: 'no' },
    { what: 'too few params', argv: ['send-template', '+12025550101', 'order_update'], exit: 6, done: 'no' },
    { what: 'a contact without a phone', argv: ['contacts', 'create', '--set', 'name=Ada'], exit: 6, done: 'no' },
    { what: 'an unknown path', argv: ['api', '/api/public/flows'], exit: 5, done: undefined },
    { what: 'a POST to such a path', argv: ['api', '/api/public/flows', '-f', 'a=b'], exit: 5, done: 'no' },
  ])('$what ends with $exit', async ({ argv, exit, done }) => {
    const { code, stdout, stderr } = await world.run([...argv, '-o', 'json']);
    expect([code, stdout, errorIn(stderr)['done']]).toEqual([exit, '', done]);
    expect(world.sandbox.messages()).toEqual([]);
  });

  it('a read-only key lists, and neither sends nor creates', async () => {
    const key = withKey(world.sandbox.keys.create('read-only').text);
    const ran = [await world.run(['contacts', 'list'], key), await world.run(send, key), await world.run(create, key)];
    expect(ran.map(({ code }) => code)).toEqual([0, 4, 4]);
    expect([world.sandbox.messages().length, world.sandbox.contacts().length]).toEqual([0, 5]);
  });

  it('a send-only key sends, and neither lists nor creates', async () => {
    const key = withKey(world.sandbox.keys.create('send-only').text);
    const ran = [await world.run(send, key), await world.run(['contacts', 'list'], key), await world.run(create, key)];
    expect(ran.map(({ code }) => code)).toEqual([0, 4, 4]);
  });

  it('a revoked key is refused', async () => {
    world.sandbox.keys.revoke(world.sandbox.keys.sandbox);
    const ran = [await world.run(send), await world.run(['templates', 'list'])];
    expect(ran.map(({ code, stdout }) => [code, stdout])).toEqual([
      [4, ''],
      [4, ''],
    ]);
    expect(ran[0]?.stderr).toContain('shows the keys of this sandbox');
  });

  it('an endpoint that the plan does not include ends with 4 and names the plan', async () => {
    world.sandbox.setPlan({ name: 'starter', perMinute: undefined, perMonth: undefined, without: ['listCampaigns'] });
    const { code, stdout, stderr } = await world.run(['campaigns', 'list']);
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toContain('plan');
    expect((await world.run(['templates', 'list'])).code).toBe(0);
  });

  it('a send beyond the rate limit ends with 7, and nothing was sent', async () => {
    world.sandbox.setPlan({ name: 'starter', perMinute: 0, perMonth: undefined, without: [] });
    const ran = await world.run([...send, '--retries', '0', '-o', 'json']);
    expect([ran.code, ran.stdout, errorIn(ran.stderr)['done']]).toEqual([7, '', 'no']);
    expect((await world.run(['contacts', 'list', '--retries', '0'])).code).toBe(7);
    expect(world.sandbox.messages()).toEqual([]);
  });
});
