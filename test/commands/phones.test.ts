import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, conversation } from '../support/conversation.ts';
import { newWorld, type World } from '../support/world.ts';
import { storeText } from './profile-store.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const sent = () => world.sandbox.messages().map(({ to }) => to);

/** Runs a command with the answers of a person. */
const talk = (argv: readonly string[], answers: readonly Answer[]) =>
  world.run(argv, { terminal: 80, keyboard: conversation(answers).keyboard });

/** Stores a profile whose numbers are German, and uses it. */
function useGerman(): { readonly env: Readonly<Record<string, string>> } {
  const keys = { sandbox: world.sandbox.keys.sandbox };
  const acme = { baseUrl: world.url, plan: 'growth', mode: 'sandbox', keys, country: 'DE' };
  storeText(world.home, JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }));
  return { env: {} };
}

describe('a single message', () => {
  it.each([
    ['+49 (0) 170 / 123 45 67', '+491701234567'],
    ['+44 020 7946 0000', '+442079460000'],
    ['00 49 170 1234567', '+491701234567'],
    ['+٤٩ ١٧٠ ١٢٣٤٥٦٧', '+491701234567'],
  ])('goes to %s as %s', async (text, to) => {
    expect((await world.run(['send-template', text, 'welcome'])).code).toBe(0);
    expect(sent()).toEqual([to]);
  });

  it('asks for the country of a national number, until it fits', async () => {
    const argv = ['send-template', '0170 1234567', 'welcome'];
    const answers = [
      [/Country of .*0170/, 'US'],
      // The wrong answer is no longer in the line.
      [/"0170 1234567" is not a phone number/, 'Deutschland'],
    ] as const;
    expect([(await talk(argv, answers)).code, sent()]).toEqual([0, ['+491701234567']]);
  });

  it.each([
    ['+49 170 1234567', []],
    ['0170 1234567', [[/Country of .*0170/, 'DE']]],
    ['49 170 1234567', [[/Country of .*\(intl\)/, '']]],
  ] as const)('reads %s in the prompt as in the argument', async (text, more) => {
    const answers = [[/Recipient/, text], ...more, /❯ welcome/, [/Send it/, 'y']] as const;
    const { code } = await talk(['send-template'], answers);
    expect([code, sent()]).toEqual([0, ['+491701234567']]);
  });

  it('shows the command line for the answers, before the question', async () => {
    const person = conversation([
      [/Recipient/, '0170 1234567'],
      [/Country of/, 'Germany'],
      /❯ order_update/,
      [/name/, 'Ada'],
      [/order/, ':x y'],
      [/Send it/, 'n'],
    ]);
    const { stderr } = await world.run(['send-template', '--again'], { terminal: 80, keyboard: person.keyboard });
    expect(stderr).toContain(
      "Without questions:\n  bizmsg send-template +491701234567 order_update --again -p Ada -p '::x y'\n",
    );
    expect(sent()).toEqual([]);
  });

  it('says once on a terminal that it is simulated', async () => {
    const notes = async (parent: number) => {
      const words = ['send-template', '+491701234567', 'welcome', '--no-color'];
      const { stdout, stderr } = await world.run(words, { terminal: 80, parent });
      return [stderr.split('really sent').length - 1, /Sent \(simulated\)/.test(stdout)];
    };
    expect([await notes(1), await notes(1), await notes(2)]).toEqual([
      [1, true],
      [0, true],
      [1, true],
    ]);
  });

  it.each([
    ['+49 170 123', 'use the international form, such as +12025550101'],
    ['0170 1234567', 'use the international form, such as +12025550101'],
    ['12025550101', 'did you mean +12025550101?'],
    ['order_update', 'use the international form, such as +12025550101'],
  ])('refuses %j', async (text, hint) => {
    const { code, stderr } = await world.run(['send-template', text, 'welcome']);
    expect([code, stderr, sent()]).toEqual([2, `error: "${text}" is not a phone number\n  ${hint}\n`, []]);
  });

  it('says to quote a phone of two words', async () => {
    const { code, stderr } = await world.run(['send-template', '+49', '1701234567']);
    expect([code, sent()]).toEqual([2, []]);
    expect(stderr).toBe(`error: "+49" is not a phone number\n  quote the phone: '+49 1701234567'\n`);
  });

  it.each([
    ['the templates are known', true],
    ['no templates were listed', false],
  ])('refuses -p name=Ada where the variable is called name, if %s', async (_, isKnown) => {
    if (isKnown) await world.run(['templates', 'list']);
    const words = ['send-template', '+12025550101', 'order_update', '-p'];
    const { code, stderr } = await world.run([...words, 'name=Ada', '-p', 'A-1']);
    expect([code, sent()]).toEqual([2, []]);
    expect(stderr).toContain('for the variable name: -p Ada');
    expect((await world.run([...words, 'x=1', '-p', 'order-1=2'])).code).toBe(0);
  });
});

it('a batch sends once to a phone that is written in two ways, and excludes a phone in any way', async () => {
  const never = world.write('never.csv', 'phone,land\n020 7946 0000,GB\n');
  const file = world.write('people.csv', 'phone,land\n+442079460000,\n+44 020 7946 0001,\n00442079460001,\n');
  const words = ['send-batch', 'welcome', file, '--exclude-from', never, '--country', ':land'];
  const { stdout } = await world.run(words);
  expect(stdout).toMatch(/2 not sent {2}1 excluded · 1 listed twice/);
  expect(sent()).toEqual(['+442079460001']);
});

describe('every command', () => {
  const national = '0170 1234567';
  const commands = [
    ['contacts create', ['contacts', 'create', '--set', `phone=${national}`]],
    ['contacts create', ['contacts', 'create', '--set-json', `phone="${national}"`]],
    ['batches mark', ['batches', 'mark', national, '--sent']],
    ['history', ['history', national]],
    ['opt-outs add', ['opt-outs', 'add', national]],
  ] as const;

  it.each(commands)('reads a phone, and refuses an impossible one: %s', async (_, argv) => {
    expect((await world.run(argv, useGerman())).stderr).not.toContain('is not a phone number');
    const { code, stderr } = await world.run(argv.map((word) => word.replace(national, '+49 170 123')));
    expect([code, stderr]).toEqual([2, expect.stringContaining('"+49 170 123" is not a phone number')]);
  });
});
