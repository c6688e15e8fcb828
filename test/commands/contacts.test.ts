import { beforeEach, describe, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';
import { noteCodes } from '../support/json-lines.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const phone = '+12025550142';
const create = (...argv: readonly string[]) => world.run(['contacts', 'create', ...argv]);
const calls = () => world.sandbox.audit(world.sandbox.keys.sandbox);

async function body(...argv: readonly string[]): Promise<unknown> {
  const { stdout } = await create(...argv, '--dry-run', '-o', 'json');
  const { body: value }: { readonly body: unknown } = JSON.parse(stdout);
  return value;
}

it('a contact that was there is not shown as created', async () => {
  await create('--set', `phone=${phone}`, '--set', 'name=Ada');
  const { stdout, stderr } = await create('--set', `phone=${phone}`, '--set', 'name=Neu', '-o', 'table');
  expect(stdout).not.toContain('Created');
  expect(stdout).toMatch(/^Exists \(simulated\)\n[^]*name: Ada/);
  expect(stderr).toContain('answered 200, not 201');
});

describe('the body of a new contact', () => {
  it.each([
    { name: 'texts', argv: ['--set', `phone=${phone}`, '--set', 'n=1'], sent: { phone, n: '1' } },
    { name: 'dotted keys, nested', argv: ['--set', 'a.b=1', '--set', 'a.c=2'], sent: { a: { b: '1', c: '2' } } },
    { name: 'a value with equal signs', argv: ['--set', 'note=a=b=c'], sent: { note: 'a=b=c' } },
    { name: 'an empty text', argv: ['--set', 'note='], sent: { note: '' } },
    { name: 'JSON', argv: ['--set-json', 'a.n=[1.5]', '--set-json', 'a.x=null'], sent: { a: { n: [1.5], x: null } } },
  ])('is built from $name', async ({ argv, sent }) => {
    expect(await body(...argv)).toEqual(sent);
  });

  it('may have a field named __proto__, which does not change other fields', async () => {
    const { stdout } = await create('--set', '__proto__.x=1', '--set', 'constructor.y=2', '--dry-run');
    expect(stdout).toContain('"body":{"__proto__":{"x":"1"},"constructor":{"y":"2"}}');
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect('x' in {}).toBe(false);
  });

  it('can be a whole document from stdin', async () => {
    const stdin = JSON.stringify({ phone, name: 'Ada', attributes: { city: 'Oslo' } });
    const { code } = await world.run(['contacts', 'create', '--input', '-'], { stdin });
    expect(code).toBe(0);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone, name: 'Ada', attributes: { city: 'Oslo' } });
  });

  it.each([
    { name: 'no field at all', argv: [], says: 'at least one field' },
    { name: 'a field twice', argv: ['--set', 'a=1', '--set', 'a=2'], says: 'is given more than once' },
    { name: 'a text where others nest', argv: ['--set', 'a=1', '--set', 'a.b=2'], says: 'is given more than once' },
    { name: 'the same field as text and JSON', argv: ['--set', 'a.b=1', '--set-json', 'a.b=1'], says: 'a.b is given' },
    { name: 'a key with an empty part', argv: ['--set', 'a..b=1'], says: 'an empty part' },
    { name: 'no key', argv: ['--set', '=1'], says: 'is not key=value' },
    { name: 'no equal sign', argv: ['--set', 'phone'], says: 'is not key=value' },
    { name: 'what is not JSON', argv: ['--set-json', 'tags=[vip]'], says: 'in a list, quote the texts' },
    { name: 'a field and a whole body', argv: ['--input', '-', '--set', 'a=1'], says: '--input is the whole body' },
    { name: 'a folder', argv: ['--input', '/'], says: 'cannot be read: it is a folder\n' },
  ])('is refused for $name: exit 2, and nothing is sent', async ({ argv, says }) => {
    expect(await create(...argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
    expect(calls()).toEqual([]);
  });
});

describe('the printed result', () => {
  it('ends with 2 for an unknown column', async () => {
    const { code, stdout, stderr } = await world.run(['contacts', 'list', '--columns', 'id,fone']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--columns: there is no column "fone"');
    expect(stderr).toContain('phone');
  });

  it.each(['nowhere', 'message_id,nowhere'])('keeps the message_id when --columns %s is unknown', async (columns) => {
    const argv = ['send-template', '+12025550101', 'welcome', '--columns', columns, '-o', 'ndjson'];
    const { code, stdout, stderr } = await world.run(argv);
    expect([code, JSON.parse(stdout)]).toEqual([0, { message_id: world.sandbox.messages()[0]?.id }]);
    expect(noteCodes(stderr)).toContain('not-as-asked');
  });

  it.each<[Readonly<Record<string, string>>, readonly string[], boolean]>([
    [{ COLORTERM: 'truecolor' }, [], true],
    [{ NO_COLOR: '1' }, [], false],
    [{ FORCE_COLOR: '1' }, ['--no-color'], false],
    [{ TERM: 'dumb' }, [], false],
  ])('has colors or not on a terminal: %j %j', async (variable, words, isColored) => {
    const env = { ...world.env, ...variable };
    const { stdout } = await world.run(['contacts', 'list', ...words], { terminal: 80, env });
    expect(stdout.includes('\u001b[')).toBe(isColored);
  });

  it.each([[['send-template', phone, 'welcome']], [['contacts', 'create', '--set', `phone=${phone}`]]])(
    'has no id in a dry run with -o id, but a note: %j',
    async (argv) => {
      const ran = await world.run([...argv, '--dry-run', '-o', 'id']);
      expect(ran).toMatchObject({ code: 0, stdout: '' });
      expect(ran.stderr).toContain('note: nothing was sent, so there is no id; -o json shows the request\n');
      expect(calls().filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );

  it.each([
    [['contacts', 'create', '--set', 'phone=+12025550142'], ['simulated']],
    [['contacts', 'create', '--set', 'phone=+12025550142', '--quiet'], []],
    [['contacts', 'create', '--set', 'phone=+12025550142', '--dry-run'], []],
    [['contacts', 'create', '--set', 'phone'], []],
    [['contacts', 'list'], []],
    [['templates', 'list'], []],
    [['api', '/api/public/contacts'], []],
    [['contacts', 'import', 'none.csv'], []],
  ])('notes that nothing is really sent only if something would be: %j', async (words, codes) => {
    const { stderr } = await world.run([...words, '-o', 'json']);
    expect(noteCodes(stderr)).toEqual(codes);
  });
});
