import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, conversation } from '../support/conversation.ts';
import { openWorld, type World } from '../support/world.ts';
import { storeText } from './profile-store.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const sent = () => world.sandbox.messages().map(({ to }) => to);
const write = (name: string, text: string) => {
  const file = join(world.home, name);
  writeFileSync(file, text);
  return file;
};
const batch = (text: string, ...words: readonly string[]) =>
  world.run(['send-batch', 'welcome', write('people.csv', text), ...words]);

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

  it("takes a national number of the profile's country", async () => {
    expect((await world.run(['send-template', '0170 1234567', 'welcome'], useGerman())).code).toBe(0);
    expect(sent()).toEqual(['+491701234567']);
  });

  it('asks for the country of a national number', async () => {
    const { code } = await talk(['send-template', '0170 1234567', 'welcome'], [[/Country of .*0170/, 'Deutschland']]);
    expect([code, sent()]).toEqual([0, ['+491701234567']]);
  });

  it('asks again for a country that does not fit', async () => {
    const argv = ['send-template', '0170 1234567', 'welcome'];
    const answers = [
      [/Country of .*0170/, 'US'],
      [/"0170 1234567" is not a phone number/, '\x15DE'],
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

describe('a batch', () => {
  it('reads numbers that begin with a country code, with --country intl', async () => {
    const text = 'phone\n49 170 1234567\n+49 170 1234568\n0170 1234569\n4917012\n';
    const { stdout } = await batch(text, '--country', 'intl');
    expect(stdout).toContain('2 of 4 have the message');
    expect(sent()).toEqual(['+491701234567', '+491701234568']);
  });

  it.each(['DE', 'Germany', 'Deutschland'])('reads national numbers of %s, in any digits', async (country) => {
    const { code } = await batch('phone\n0170 1234567\n٠١٧٠ ١٢٣٤٥٦٨\n०१७० १२३४५६९\n', '--country', country);
    expect([code, sent()]).toEqual([0, ['+491701234567', '+491701234568', '+491701234569']]);
  });

  it('reads national numbers of the country in a column', async () => {
    const rows = [
      '0170 1234567,Germany',
      '07400 123456,uk',
      '+1 202 555 0101,',
      '0170 1234568,',
      '0170 1234569,Atlantis',
    ];
    const { stdout } = await batch(`phone,Land\n${rows.join('\n')}\n`, '--country', ':land');
    expect(sent()).toEqual(['+491701234567', '+447400123456', '+12025550101']);
    expect(stdout).toContain('"0170 1234568" has no country, Land: it is empty (line 5)');
    expect(stdout).toContain('"0170 1234569" has no country, Land: "Atlantis" is not a country (line 6)');
  });

  it('sends once to a phone that is written in two ways, and excludes a phone in any way', async () => {
    const never = write('never.csv', 'phone,land\n020 7946 0000,GB\n');
    const text = 'phone,land\n+442079460000,\n+44 020 7946 0001,\n00442079460001,\n';
    const { stdout } = await batch(text, '--exclude-from', never, '--country', ':land');
    expect(stdout).toMatch(/2 not sent {2}1 (?:excluded|listed twice) · 1 (?:excluded|listed twice)\n/);
    expect(sent()).toEqual(['+442079460001']);
  });
});

it('an import reads the country in a field of a record', async () => {
  const file = write('people.ndjson', '{"phone":"0170 1234567","land":"Germany"}\n{"phone":1701234568,"land":"DE"}\n');
  const { code } = await world.run(['contacts', 'import', file, '--country', ':land']);
  const phones = world.sandbox.contacts().map(({ phone }) => phone);
  expect([code, phones]).toEqual([0, expect.arrayContaining(['+491701234567', '+491701234568'])]);
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

  it.each(commands)('reads a phone: %s', async (_, argv) => {
    expect((await world.run(argv, useGerman())).stderr).not.toContain('is not a phone number');
  });

  it.each(commands)('refuses an impossible phone: %s', async (_, argv) => {
    const { code, stderr } = await world.run(argv.map((word) => word.replace(national, '+49 170 123')));
    expect([code, stderr]).toEqual([2, expect.stringContaining('"+49 170 123" is not a phone number')]);
  });

  it('sends a contact with its phone as E.164', async () => {
    await world.run(['contacts', 'create', '--set', 'phone=+44 020 7946 0000', '--set', 'name=Ada']);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone: '+442079460000', name: 'Ada' });
  });

  it('the sandbox gets a reply from a phone', async () => {
    const reply = (from: string) => world.run(['sandbox', 'trigger', 'message.received', '--from', from]);
    expect((await reply('+44 020 7946 0000')).code).toBe(0);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone: '+442079460000' });
    expect((await reply('+44')).stderr).toContain('--from: "+44" is not a phone number');
  });
});
