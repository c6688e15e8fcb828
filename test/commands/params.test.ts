import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const ada = '+12025550101';

function arrived() {
  return world.sandbox.messages().map(({ to, template, params }) => ({ to, template, params }));
}

describe('the params of a send', () => {
  it.each([
    {
      name: 'arrive one by one, in order',
      argv: [ada, 'order_update', '-p', 'Ada', '-p', 'A-1042'],
      to: 'order_update',
      params: ['Ada', 'A-1042'],
    },
    { name: 'are [] when none is given', argv: [ada, 'welcome'], to: 'welcome', params: [] },
    {
      name: 'are accepted before the arguments',
      argv: ['-p', 'Ada', '--param', 'A-1042', ada, 'order_update'],
      to: 'order_update',
      params: ['Ada', 'A-1042'],
    },
    {
      name: 'may look like an option when written with =',
      argv: [ada, 'order_update', '--param=--yes', '-p', 'A-1042'],
      to: 'order_update',
      params: ['--yes', 'A-1042'],
    },
    {
      name: 'may be empty as -p=',
      argv: [ada, 'order_update', '-p=', '-p', 'A-1042'],
      to: 'order_update',
      params: ['', 'A-1042'],
    },
    {
      name: 'may be a lone hyphen',
      argv: [ada, 'order_update', '-p', '-', '-p', 'A-1042'],
      to: 'order_update',
      params: ['-', 'A-1042'],
    },
    {
      name: 'keep commas, equal signs, line feeds and other scripts',
      argv: [ada, 'order_update', '-p', 'a,b=c d', '-p', 'línea\n✓'],
      to: 'order_update',
      params: ['a,b=c d', 'línea\n✓'],
    },
  ])('$name', async ({ argv, to, params }) => {
    const ran = await world.run(['send-template', ...argv]);
    expect(ran.code).toBe(0);
    expect(arrived()).toEqual([{ to: ada, template: to, params }]);
    expect(ran.stdout).toBe(`${world.sandbox.messages()[0]?.id}\n`);
  });

  it.each([
    { name: 'an empty one', argv: [ada, 'order_update', '-p', '', '-p', 'A-1042'], says: '-p= sends it' },
    { name: 'one that looks like an option', argv: [ada, 'order_update', '-p', '--yes'], says: '-p=--yes' },
    { name: 'a hyphenated text', argv: [ada, 'order_update', '-p', '-5', '-p', '1'], says: '-p=-5' },
    { name: 'one that took the place of the phone', argv: ['-p', ada, 'order_update'], says: '"order_update"' },
    {
      name: 'more arguments than a phone and a template',
      argv: [ada, 'order_update', 'Ada'],
      says: 'did you mean -p Ada?',
    },
    { name: 'no value at all', argv: [ada, 'order_update', '-p'], says: '-p' },
    { name: 'an empty phone', argv: ['', 'order_update', '-p', 'Ada', '-p', '1'], says: 'empty' },
    { name: 'an empty template', argv: [ada, '', '-p', 'Ada'], says: 'empty' },
    { name: 'a phone without a template', argv: [ada], says: '[template]' },
    { name: 'nothing', argv: [], says: '[phone]' },
    { name: 'a phone without +', argv: ['12025550101', 'welcome'], says: 'did you mean +12025550101?' },
    { name: 'the name of a column', argv: [ada, 'order_update', '-p', ':name', '-p', '1'], says: '-p ::name' },
    { name: 'an unknown option', argv: [ada, 'welcome', '--parm', 'x'], says: '--param' },
  ])('refuses $name, and sends nothing', async ({ argv, says }) => {
    const { code, stdout, stderr } = await world.run(['send-template', ...argv]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toEqual([]);
  });

  it('names the command that shows the variables, if the service refuses the params', async () => {
    const { code, stderr } = await world.run(['send-template', ada, 'order_update', '-p', 'Ada']);
    expect(code).toBe(6);
    expect(stderr).toContain('\n  bizmsg templates show order_update shows the variables: pass one -p for each\n');
  });
});

describe('global options', () => {
  it.each([
    ['before the command', ['-o', 'json', 'send-template', ada, 'welcome']],
    ['between its words', ['contacts', '--output', 'json', 'list']],
    ['after it', ['contacts', 'list', '--output=json']],
  ])('are accepted %s', async (_, argv) => {
    const { code, stdout } = await world.run(argv);
    expect([code, stdout.slice(0, 1)]).toEqual([0, expect.stringMatching(/[[{]/)]);
  });

  it.each([
    { argv: ['help', '--dry-run'], says: '--dry-run' },
    { argv: ['whoami', '--dry-run'], says: '--dry-run' },
    { argv: ['profiles', 'list', '--mode', 'live'], says: '--mode' },
    { argv: ['sandbox', 'status', '--profile', 'acme'], says: '--profile' },
    { argv: ['logout', 'acme', '--base-url', 'https://api.example.com'], says: '--base-url' },
    { argv: ['help', '--columns', 'id'], says: '--columns' },
    { argv: ['contacts', 'list', '-o', 'xml'], says: '--output: "xml" is not one of' },
    { argv: ['contacts', 'list', '--timeout', 'soon'], says: '--timeout: "soon" is not a duration' },
    { argv: ['webhooks', 'listen', '--port', '65536'], says: '--port: "65536" is not a port' },
    { argv: ['sandbox', 'start', '--port', '65536'], says: '--port: "65536" is not a port' },
    { argv: ['contacts', 'list', '--columns', 'id,,phone'], says: 'an empty column name' },
    { argv: ['contacts', 'list', '--limit', '-1'], says: '--limit=-1' },
    { argv: ['contacts', 'list', '--url-param', 'limit'], says: 'key=value' },
  ])('are refused by a command that does not support them: $argv', async ({ argv, says }) => {
    const { code, stdout, stderr } = await world.run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toEqual([]);
  });
});

it.each([
  [['contacts', 'list', '--limit', 'ten'], '--limit: "ten" is not a whole number'],
  [['contacts', 'list', '--base-url', 'here'], '--base-url: the base URL is not an http or https address'],
  [['contacts', 'create', '--set', 'phone'], '--set: "phone" is not key=value'],
  [['send-batch', 'welcome', '-', '--batch', 'a/b'], '--batch: "a/b" is not a name of a batch'],
  [['contacts', 'import', '-', '--first', '0'], '--first: "0" is'],
  [['profiles', 'set', 'acme', '--rate', 'fast'], '--rate: "fast" is not a rate'],
  [['webhooks', 'listen', '--forward-to', 'ftp://here'], '--forward-to: "ftp://here" is not an address'],
  [['webhooks', 'history', '--type', 'order.piad'], '--type: "order.piad" is not an event'],
])('a refused value is reported with its option: %j', async (argv, message) => {
  expect(await world.run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

describe('a mistyped word', () => {
  it.each([
    { argv: ['contact', 'list'], says: 'did you mean bizmsg contacts?' },
    { argv: ['contacts', 'lst'], says: 'did you mean bizmsg contacts list?' },
    { argv: ['send-templat', ada], says: 'did you mean bizmsg send-template?' },
    { argv: ['flows'], says: 'announced by the API' },
    { argv: ['analytics', '-o', 'json'], says: 'announced by the API' },
  ])('gets a suggestion: $argv', async ({ argv, says }) => {
    const { code, stdout, stderr } = await world.run(argv);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});
