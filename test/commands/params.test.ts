import { beforeEach, describe, expect, it } from 'vitest';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const ada = '+12025550101';

function arrived() {
  return world.sandbox.messages().map(({ to, template, params }) => ({ to, template, params }));
}

describe('the params of a send', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['arrive one by one, in order', ['-p', 'Ada', '-p', 'A-1042'], ['Ada', 'A-1042']],
    ['may be empty as -p=', ['-p=', '-p', 'A-1042'], ['', 'A-1042']],
    ['may be a lone hyphen', ['-p', '-', '-p', 'A-1042'], ['-', 'A-1042']],
    ['keep commas, equal signs, line feeds and scripts', ['-p', 'a,b=c d', '-p', 'línea\n✓'], ['a,b=c d', 'línea\n✓']],
  ])('%s', async (_, words, params) => {
    for (const argv of [
      [ada, 'order_update', ...words],
      [...words, ada, 'order_update'],
    ])
      expect((await world.run(['send-template', ...argv])).code).toBe(0);
    const message = { to: ada, template: 'order_update', params };
    expect(arrived()).toEqual([message, message]);
  });

  it('are [] when none is given', async () => {
    const { stdout } = await world.run(['send-template', ada, 'welcome']);
    expect(arrived()).toEqual([{ to: ada, template: 'welcome', params: [] }]);
    expect(stdout).toBe(`${world.sandbox.messages()[0]?.id}\n`);
  });

  it.each([
    { name: 'one that took the place of the phone', argv: ['-p', ada, 'order_update'], says: '"order_update"' },
    { name: 'more arguments than two', argv: [ada, 'order_update', 'Ada'], says: 'did you mean -p Ada?' },
    { name: 'a phone without a template', argv: [ada], says: '[template]' },
    { name: 'a phone without +', argv: ['12025550101', 'welcome'], says: 'did you mean +12025550101?' },
    { name: 'the name of a column', argv: [ada, 'order_update', '-p', ':name', '-p', '1'], says: '-p ::name' },
    { name: 'an unknown option', argv: [ada, 'welcome', '--parm', 'x'], says: '--param' },
  ])('refuses $name, and sends nothing', async ({ argv, says }) => {
    const stderr: unknown = expect.stringContaining(says);
    expect(await world.run(['send-template', ...argv])).toMatchObject({ code: 2, stdout: '', stderr });
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toEqual([]);
  });

  it('names the command that shows the variables, if the service refuses the params', async () => {
    const { code, stderr } = await world.run(['send-template', ada, 'order_update', '-p', 'Ada']);
    expect(code).toBe(6);
    expect(stderr).toContain('\n  bizmsg templates show order_update shows the variables: pass one -p for each\n');
  });
});

const refused = `
help --dry-run → --dry-run
whoami --dry-run → --dry-run
profiles list --mode live → --mode
sandbox status --profile acme → --profile
logout acme --base-url https://api.example.com → --base-url
help --columns id → --columns
contacts list -o xml → --output: "xml" is not one of
contacts list --timeout soon → --timeout: "soon" is not a duration
webhooks listen --port 65536 → --port: "65536" is not a port
contacts list --columns id,,phone → an empty name
contacts list --limit -1 → --limit=-1
contacts list --url-param limit → key=value
contacts list --limit ten → --limit: "ten" is not a whole number
contacts list --base-url here → --base-url: the base URL is not an http or https address
contacts create --set phone → --set: "phone" is not key=value
send-batch welcome - --batch a/b → --batch: "a/b" is not a name of a batch
contacts import - --first 0 → --first: "0" is
profiles set acme --rate fast → --rate: "fast" is not a rate
webhooks listen --forward-to ftp://here → --forward-to: "ftp://here" is not an address
webhooks list --type order.piad → --type: "order.piad" is not one of message.received
flows → announced by the API
analytics -o json → announced by the API`;

const refusals = refused.trim().split('\n');
it.each(refusals.map((line) => line.split(' → ')))(
  '%s is refused: %s, and nothing is sent',
  async (line = '', says = '') => {
    const ran = await world.run(line.split(' '));
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
    expect(world.sandbox.audit(world.sandbox.keys.sandbox)).toEqual([]);
  },
);
