import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serve } from '../client/servers.ts';
import { cli } from '../support/cli.ts';
import { type Answer, talk as converse } from '../support/conversation.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { workbook } from '../support/workbook.ts';
import { newWorld } from '../support/world.ts';
import { gate, peopleText as people, phoneOf } from './rig.ts';

const clear = '\u0015';

/** A machine with a sandbox whose live key is in use, and a person who answers questions. */
async function person() {
  const world = await newWorld();
  world.sandbox.keys.goLive();
  const live: Readonly<Record<string, string>> = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
  const wordsOf = (line: string) =>
    line.split(' ').map((word) => (/\.(csv|txt|xlsx)$/.test(word) ? join(world.home, word) : word));
  const talk = (line: string, answers: readonly Answer[] = [], env = live) =>
    converse(wordsOf(line), answers, { home: world.home, env });
  const script = (line: string) => world.run(wordsOf(line), { env: live });
  const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params].join(' '));
  return { ...world, talk, script, sent };
}

const typed = (question: RegExp, answer = ''): Answer => [question, answer];
const order = 'send-batch order_update people.csv -p :name -p x';

describe('the question of a live batch', () => {
  it.each([
    { rows: 15, answers: ['15'], code: 0 },
    { rows: 1_200, answers: ['1,200'], code: 0 },
    { rows: 9, answers: ['Yes'], code: 0 },
    { rows: 15, answers: ['y', '14', ''], code: 11 },
    { rows: 9, answers: ['n', '9', ''], code: 11 },
    { rows: 9, answers: [''], code: 11 },
  ])(
    'about $rows rows with the answers $answers exits with $code',
    async ({ rows, answers: [first, ...more], code }) => {
      const { write, talk, sent } = await person();
      write('people.csv', people(rows));
      const answers = [typed(/Type/, first), ...more.map((text) => typed(/> type/, `${clear}${text}`))];
      const ran = await talk('send-batch welcome people.csv', answers);
      expect([ran.code, sent().length]).toEqual([code, code === 0 ? rows : 0]);
      expect(ran.asked).toContain(
        rows < 10 ? 'Type y to send 9 · t test' : `Type ${rows === 15 ? 15 : '1,200'} to send`,
      );
    },
  );

  it('comes after what will be sent to whom, and why not to others', async () => {
    const { write, talk, script, home } = await person();
    await script(`opt-outs add ${phoneOf(3)}`);
    write('none.txt', phoneOf(4));
    const phones = [phoneOf(1), phoneOf(1), '12', phoneOf(3), phoneOf(4), phoneOf(5)];
    write('people.csv', `phone,name\n${phones.map((phone) => `${phone},Ada\n`).join('')}`);
    const { stderr, code } = await talk(`${order} --exclude-from none.txt`, [typed(/Type y to send 2/, 'y')]);
    expect(code).toBe(10);
    expect(stderr.replace(`${home}/`, '')).toContain(`Batch people (new) · template order_update · people.csv, 6 rows

     2 to send
     1 failed    phone: "12" is not a phone number (line 4)
     3 not sent  1 excluded · 1 opted out · 1 listed twice (line 3)

${phoneOf(1)}  Hello Ada, your order x is on its way.
${phoneOf(5)}  Hello Ada, your order x is on its way.
1 opt-out, last today `);
  });

  it('offers those who got it before once more, within --at-most', async () => {
    const { write, talk, script, sent } = await person();
    write('vip.csv', people(2));
    write('people.csv', people(5));
    await script('send-batch welcome vip.csv --batch vip --at-most 2');
    const again = typed(/Type y to send 3 · t test to yourself · a the 2 once more too · Enter stops:/, 'a');
    const limited = await talk('send-batch welcome people.csv --at-most 4', [again]);
    expect(limited.stderr).toMatch(/ {5}2 sent {6}same text, today \d\d:\d\d, batch vip: not once more\n/);
    expect([limited.code, sent().length]).toEqual([11, 2]);
    expect((await talk('send-batch welcome people.csv', [again])).code).toBe(0);
    expect(sent()).toHaveLength(7);
  });

  it('can be preceded by a test, which no person has received', async () => {
    const { write, talk, sent } = await person();
    write('people.csv', people(2));
    const answers = [typed(/Type/, 't'), typed(/Your phone/, '+1 202 555 0199'), typed(/Type/, 'y')];
    const { code, stderr } = await talk(order, answers);
    expect([code, stderr]).toEqual([0, expect.stringContaining('Sent a test (simulated) to +12025550199')]);
    expect(sent()).toEqual(['+12025550199 P1 x', `${phoneOf(1)} P1 x`, `${phoneOf(2)} P2 x`]);
  });

  it('is also that of batches resume, without a test', async () => {
    const { write, talk, script, sent } = await person();
    write('people.csv', people(3));
    await script('send-batch welcome people.csv --batch b --at-most 9 --first 1');
    const answers = [typed(/Type y to send 2 · Enter stops:/, 't'), typed(/> type y to send/, `${clear}y`)];
    const { code } = await talk('batches resume', answers);
    expect([code, sent().length]).toEqual([0, 3]);
  });
});

describe('a person chooses', () => {
  it.each([
    [/❯ Go on with people: 3 wait, last used today/, 'people'],
    [/❯ Start a new batch, people-2/, 'people-2'],
  ])('which batch the file is for: %s', async (choice, name) => {
    const { write, talk, script, sent } = await person();
    write('people.csv', people(5));
    await script('send-batch welcome people.csv --batch people --first 2 --at-most 5');
    const { code, stdout } = await talk('send-batch welcome people.csv', [choice, typed(/Type y to send 3/, 'y')]);
    expect([stdout, sent().length]).toEqual([expect.stringContaining(`Batch ${name} (simulated): 5 of 5`), 5]);
    // Messages of another batch are reported once.
    expect(code).toBe(name === 'people' ? 0 : 10);
  });

  it('a new batch instead of a cancelled one', async () => {
    const { write, talk, script } = await person();
    write('people.csv', people(2));
    const line = 'send-batch welcome people.csv --batch b';
    await script(`${line} --first 1 --at-most 2`);
    await script('batches cancel b --yes');
    const { code, stderr } = await script(`${line} --at-most 2`);
    expect([code, stderr]).toEqual([11, expect.stringContaining('cancelled')]);
    const question = /Batch b was cancelled. Start a new batch, b-2\?/;
    const { stdout } = await talk(line, [typed(question, 'y'), typed(/Type y to send 1/, 'y')]);
    expect(stdout).toContain('Batch b-2 (simulated): 2 of 2');
  });

  it.each([
    [/❯ Send each the first/, 0, [`${phoneOf(1)} Ada x`, `${phoneOf(2)} Bob x`]],
    [/❯ Stop/, 11, []],
  ])('who is listed twice: %s', async (choice, code, messages) => {
    const { write, talk, sent } = await person();
    write('people.csv', `phone,name\n${phoneOf(1)},Ada\n${phoneOf(2)},Bob\n${phoneOf(1)},Cleo\n`);
    const ran = await talk(order, [choice, typed(/Type y to send 2/, 'y')]);
    expect([ran.code, sent()]).toEqual([code, messages]);
    expect(ran.asked).toContain(`1 row lists a person again, with another text: ${phoneOf(1)} (lines 2 and 4)`);
  });

  it('to wait for a process that works on the batch, or not', async () => {
    const { until: answered, open: answer } = gate();
    const service = await serve(({ method }, _, response) => {
      if (method === 'GET') return response.writeHead(404).end('{}');
      return void answered.then(() => response.end('{"message_id":"msg_1"}'));
    });
    const home = newHome();
    const env = callerOf(service.url, 'sk_live_0123456789abcdef');
    writeFileSync(join(home, 'people.csv'), people(2));
    const argv = ['send-batch', 'welcome', join(home, 'people.csv'), '--batch', 'b', '--at-most', '2', '--no-memory'];
    const working = cli(argv, { home, env });
    await expect.poll(() => service.seen.filter(({ method }) => method === 'POST').length).toBe(2);
    expect(await cli(argv, { home, env })).toMatchObject({
      code: 11,
      stderr: expect.stringMatching(/process \d+ has worked on batch b since today \d\d:\d\d: 0 of 2 done/),
    });
    const answering = (text: string, then = () => {}) =>
      converse(argv, [[/0 of 2 done. Wait/, async () => (setImmediate(then), text)]], { home, env });
    expect((await answering('n')).code).toBe(11);
    const { code, stdout } = await answering('y', answer);
    expect([(await working).code, code, stdout]).toEqual([0, 0, expect.stringContaining('2 of 2 have the message')]);
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });
});

describe('what is missing is asked for', () => {
  it('with three values of each column, and kept in the batch', async () => {
    const { write, talk, sent, env, home } = await person();
    const rows = 'Mobil;Kunde;Bestellung\n0151 12345678;Müller;A-1\n0151 12345679;Köhler;A-2\n0151 12345670;Weiß;A-3\n';
    write('people.csv', Buffer.from(rows, 'latin1'));
    const answers = [
      typed(/File with the people/, 'nowhere.csv'),
      typed(/there is no file "nowhere.csv"/, `${clear}${home}/people.csv`),
      /❯ order_update/,
      typed(/Read it as windows-1252: Müller, Köhler, Weiß — right\?/, 'y'),
      /❯ Mobil · 0151 12345678, 0151 12345679, 0151 12345670/,
      /❯ Kunde · Müller, Köhler, Weiß/,
      /❯ the same text for all/,
      typed(/The text for all$/),
      typed(/the value is empty/, ':soon'),
      typed(/Country of national numbers such as 0151 12345678/, 'Deutschland'),
      typed(/Type y to send 3/, 'y'),
    ];
    const { code, asked } = await talk('send-batch', answers, env);
    expect([code, asked]).toEqual([0, expect.stringContaining('Which one has them? Mobil\n')]);
    const messages = ['+4915112345678 Müller :soon', '+4915112345679 Köhler :soon', '+4915112345670 Weiß :soon'];
    expect(sent()).toEqual(messages);
    write('people.csv', Buffer.from(`${rows}0151 12345671;Ähre;A-4\n`, 'latin1'));
    const repeated = await talk('send-batch order_update people.csv --batch people', [], env);
    expect([repeated.code, repeated.asked, sent()]).toEqual([0, '', [...messages, '+4915112345671 Ähre :soon']]);
  });

  it('after one note that the key is live', async () => {
    const { write, talk } = await person();
    write('people.csv', people(1));
    const { stderr } = await talk('send-batch people.csv', [/❯ welcome/, typed(/Type y to send 1/, 'y')]);
    expect(stderr.match(/LIVE /g)).toHaveLength(1);
  });

  it('not if a column has the name of a variable, and not for the country of a wrong number', async () => {
    const { write, talk, sent, env } = await person();
    const header = ['Phone', 'NAME', 'order'];
    write('people.xlsx', workbook([{ rows: [header, ['+12025550141', 'Ada', 'A-1'], ['12345', 'Bo', 'A-2']] }]));
    const { stderr } = await talk('send-batch order_update people.xlsx', [typed(/Type y to send 1/, 'y')], env);
    expect(stderr).toContain('{{1}} name ← column NAME\n{{2}} order ← column order\n');
    expect(sent()).toEqual(['+12025550141 Ada A-1']);
  });

  it('by contacts import, too, with the likely columns first', async () => {
    const { write, talk, sandbox, env, home } = await person();
    const columns = Array.from({ length: 20 }, (_, at) => `c${at}`).join(',');
    write('wide.csv', `${columns},Handy\n${columns},0151 12345678\n`);
    const answers = [/❯ Handy · 0151 12345678/, typed(/Country of national/, 'DE'), typed(/Type y to import 1/, 'y')];
    const words = 'wide.csv --keep Handy,c1 --encoding utf8';
    const { code, stderr } = await talk(`contacts import ${words}`, answers, env);
    expect(stderr).toContain(`  bizmsg contacts import ${home}/${words} --map Handy=phone --country DE\n`);
    expect([code, sandbox.contacts().at(-1)]).toMatchObject([0, { phone: '+4915112345678' }]);
  });

  it('only among the columns that may have the phones', async () => {
    const { write, talk, sent, env } = await person();
    write('people.csv', 'x,Phone,Mobile\n1,+12025550141,+12025550151\n');
    const answers = [/❯ Mobile · \+12025550151/, typed(/Type y/, 'y')];
    const { asked } = await talk('send-batch welcome people.csv', answers, env);
    expect([sent(), asked]).toEqual([['+12025550151'], expect.not.stringContaining('x ·')]);
  });

  it('without characters that a terminal interprets', async () => {
    const { write, talk, env } = await person();
    const evil = '\u001b]owned\u0007\u001b[31m\u202eevil';
    write(`p${evil}.csv`, `Handy ${evil},Vor${evil}\n+12025550141,${evil}\n`);
    const answers = [/❯ Handy/, /❯ Vor/, /❯ Vor/, typed(/Type y/, 'y')];
    const { asked, stderr, stdout } = await talk(`send-batch order_update p${evil}.csv`, answers, env);
    const shown = asked + stderr + stdout;
    expect([shown.includes('evil, your order'), /\u001b\]|\u001b\[31m|\u202e|\u0007/.exec(shown)]).toEqual([
      true,
      null,
    ]);
  });

  it.each([
    ['', 2, 'the template is missing'],
    ['people.csv', 2, 'the template is missing'],
    ['welcome', 2, 'the file is missing'],
    ['welcome people.csv', 2, '--map Handy=phone'],
    ['order_update people.csv --map Handy=phone', 11, '-p'],
  ])('elsewhere it is an error: send-batch %s', async (words, exit, message) => {
    const { write, script, sent } = await person();
    write('people.csv', 'Handy\n+12025550141\n');
    const { code, stderr } = await script(`send-batch ${words}`.trim() + ' --batch b --at-most 1');
    expect([code, stderr, sent()]).toEqual([exit, expect.stringContaining(message), []]);
  });
});
