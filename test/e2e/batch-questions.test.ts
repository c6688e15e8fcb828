import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../client/servers.ts';
import { cli } from '../support/cli.ts';
import { type Answer, conversation } from '../support/conversation.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { workbook } from '../support/workbook.ts';
import { openWorld } from '../support/world.ts';
import { phoneOf } from './import-rig.ts';

const clear = '\u0015';

/** A machine with a sandbox whose live key is in use, and a person who answers questions. */
async function person() {
  const world = await openWorld();
  onTestFinished(() => world.close());
  world.sandbox.keys.goLive();
  const live: Readonly<Record<string, string>> = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
  const write = (name: string, content: string | Buffer) => {
    const path = join(world.home, name);
    writeFileSync(path, content);
    return path;
  };
  const talk = async (argv: readonly string[], answers: readonly Answer[] = [], env = live) => {
    const { keyboard, shown } = conversation(answers);
    const ran = await world.run(argv, { terminal: 120, keyboard, env });
    const plain = stripVTControlCharacters;
    return { code: ran.code, asked: shown(), stdout: plain(ran.stdout), stderr: plain(ran.stderr) };
  };
  const script = (argv: readonly string[]) => world.run(argv, { env: live });
  const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params]);
  return { ...world, write, talk, script, sent };
}

const people = (count: number) =>
  `phone,name\n${Array.from({ length: count }, (_, at) => `${phoneOf(at + 1)},P${at + 1}\n`).join('')}`;

describe('the question of a live batch', () => {
  it.each([
    { rows: 15, answers: ['15'], code: 0 },
    { rows: 1_200, answers: ['1,200'], code: 0 },
    { rows: 9, answers: ['Yes'], code: 0 },
    { rows: 15, answers: ['y', '14', ''], code: 11 },
    { rows: 9, answers: ['n', '9', ''], code: 11 },
    { rows: 9, answers: [''], code: 11 },
  ])('about $rows rows with the answers $answers exits with $code', async ({ rows, answers, code }) => {
    const { write, talk, sent } = await person();
    const typed = answers.map((answer, at): Answer => [
      at === 0 ? /Type/ : /> type/,
      `${at > 0 ? clear : ''}${answer}`,
    ]);
    const ran = await talk(['send-batch', 'welcome', write('people.csv', people(rows))], typed);
    expect([ran.code, sent().length]).toEqual([code, code === 0 ? rows : 0]);
    expect(ran.asked).toContain(rows < 10 ? 'Type y to send 9 · t test' : `Type ${rows === 15 ? 15 : '1,200'} to send`);
  });

  it('comes after what will be sent to whom, and why not to others', async () => {
    const { write, talk, script } = await person();
    await script(['opt-outs', 'add', phoneOf(3)]);
    write('none.txt', phoneOf(4));
    const rows = `${phoneOf(1)},Ada\n${phoneOf(1)},Ada\n12,Bob\n${phoneOf(3)},C\n${phoneOf(4)},D\n${phoneOf(5)},E\n`;
    const file = write('people.csv', `phone,name\n${rows}`);
    const words = ['send-batch', 'order_update', file, '-p', ':name', '-p', 'A-1'];
    const { stderr, code } = await talk(
      [...words, '--exclude-from', join(file, '../none.txt')],
      [[/Type y to send 2/, 'y']],
    );
    expect(code).toBe(10);
    expect(stderr.replace(file, 'people.csv')).toContain(`
Batch people (new) · template order_update · people.csv, 6 rows

     2 to send
     1 failed    phone: "12" is not a phone number (line 4)
     3 not sent  1 excluded · 1 opted out · 1 listed twice

${phoneOf(1)}  Hello Ada, your order A-1 is on its way.
${phoneOf(5)}  Hello E, your order A-1 is on its way.
1 opt-out, last today `);
  });

  it('offers those who got it before once more, within --at-most', async () => {
    const { write, talk, script, sent } = await person();
    await script(['send-batch', 'welcome', write('vip.csv', people(2)), '--batch', 'vip', '--at-most', '2']);
    const argv = ['send-batch', 'welcome', write('people.csv', people(5))];
    const again: Answer = [/Type y to send 3 · t test to yourself · a the 2 once more too · Enter stops:/, 'a'];
    const limited = await talk([...argv, '--at-most', '4'], [again]);
    expect([limited.code, limited.stderr, sent().length]).toEqual([
      11,
      expect.stringMatching(/ {5}2 sent {6}same text, today \d\d:\d\d, batch vip: not once more\n/),
      2,
    ]);
    expect([(await talk(argv, [again])).code, sent().length]).toEqual([0, 7]);
  });

  it('can be preceded by a test, which counts for nobody', async () => {
    const { write, talk, sent } = await person();
    const { code, stderr } = await talk(
      ['send-batch', 'order_update', write('people.csv', people(2)), '-p', ':name', '-p', 'x'],
      [
        [/Type/, 't'],
        [/Your phone/, '+1 202 555 0199'],
        [/Type/, 'y'],
      ],
    );
    expect([code, stderr, sent()]).toEqual([
      0,
      expect.stringContaining('Sent a test to +12025550199'),
      [
        ['+12025550199', 'P1', 'x'],
        [phoneOf(1), 'P1', 'x'],
        [phoneOf(2), 'P2', 'x'],
      ],
    ]);
  });

  it('is also that of batches resume, without a test', async () => {
    const { write, talk, script, sent } = await person();
    await script([
      'send-batch',
      'welcome',
      write('people.csv', people(3)),
      '--batch',
      'b',
      '--at-most',
      '9',
      '--first',
      '1',
    ]);
    const { code, asked } = await talk(
      ['batches', 'resume'],
      [
        [/Type y to send 2 · Enter stops:/, 't'],
        [/> type y/, `${clear}y`],
      ],
    );
    expect([code, sent().length, asked]).toEqual([0, 3, expect.stringContaining('type y to send: Enter stops')]);
  });
});

describe('a person chooses', () => {
  it.each([
    [/❯ Go on with people: 3 wait, last used today/, 'people', 5],
    [/❯ Start a new batch, people-2/, 'people-2', 5],
  ])('which batch the file is for: %s', async (choice, name, messages) => {
    const { write, talk, script, sent } = await person();
    const argv = ['send-batch', 'welcome', write('people.csv', people(5))];
    await script([...argv, '--batch', 'people', '--first', '2', '--at-most', '5']);
    const { code, stdout } = await talk(argv, [choice, [/Type y to send 3/, 'y']]);
    expect([stdout, sent().length]).toEqual([expect.stringContaining(`Batch ${name} (simulated): 5 of 5`), messages]);
    // What another batch has sent is reported once.
    expect(code).toBe(name === 'people' ? 0 : 10);
  });

  it('a new batch instead of a cancelled one', async () => {
    const { write, talk, script } = await person();
    const argv = ['send-batch', 'welcome', write('people.csv', people(2)), '--batch', 'b'];
    await script([...argv, '--first', '1', '--at-most', '2']);
    await script(['batches', 'cancel', 'b', '--yes']);
    expect(await script([...argv, '--at-most', '2'])).toMatchObject({
      code: 11,
      stderr: expect.stringContaining('cancelled'),
    });
    const { stdout } = await talk(argv, [
      [/Batch b was cancelled. Start a new batch, b-2\?/, 'y'],
      [/Type y to send 1/, 'y'],
    ]);
    expect(stdout).toContain('Batch b-2 (simulated): 2 of 2');
  });

  it.each([
    [
      /❯ Send each the first/,
      [/Type y to send 2/, 'y'],
      0,
      [
        [phoneOf(1), 'Ada', 'x'],
        [phoneOf(2), 'Bob', 'x'],
      ],
    ],
    [/❯ Stop/, undefined, 11, []],
  ] as const)('who is listed twice: %s', async (choice, answer, code, messages) => {
    const { write, talk, sent } = await person();
    const file = write('people.csv', `phone,name\n${phoneOf(1)},Ada\n${phoneOf(2)},Bob\n${phoneOf(1)},Cleo\n`);
    const argv = ['send-batch', 'order_update', file, '-p', ':name', '-p', 'x'];
    const ran = await talk(argv, answer ? [choice, answer] : [choice]);
    expect([ran.code, ran.asked, sent()]).toEqual([
      code,
      expect.stringContaining('1 row lists a person again, with another text'),
      messages,
    ]);
  });

  it('to wait for a process that works on the batch, or not', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
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
      conversation([[/0 of 2 done. Wait/, async () => (setImmediate(then), text)]]).keyboard;
    expect(await cli(argv, { home, env, terminal: 80, keyboard: answering('n') })).toMatchObject({ code: 11 });
    const waited = await cli(argv, { home, env, terminal: 80, keyboard: answering('y', answer) });
    expect([(await working).code, waited]).toEqual([
      0,
      { code: 0, stdout: expect.stringContaining('2 of 2 have the message'), stderr: expect.any(String) },
    ]);
    expect(service.seen.filter(({ method }) => method === 'POST')).toHaveLength(2);
  });
});

describe('what is missing is asked for', () => {
  const typed = (question: RegExp, answer = ''): Answer => [question, answer];

  it('with three values of each column, and kept in the batch', async () => {
    const { write, talk, sent, env } = await person();
    const rows = 'Mobil;Kunde;Bestellung\n0151 12345678;Müller;A-1\n0151 12345679;Köhler;A-2\n0151 12345670;Weiß;A-3\n';
    const file = write('people.csv', Buffer.from(rows, 'latin1'));
    const { code, asked } = await talk(
      ['send-batch'],
      [
        typed(/File with the people/, 'nowhere.csv'),
        typed(/there is no file "nowhere.csv"/, `${clear}${file}`),
        /❯ order_update/,
        typed(/Read it as windows-1252: Müller, Köhler, Weiß — right\?/, 'y'),
        /❯ Mobil · 0151 12345678, 0151 12345679, 0151 12345670/,
        /❯ Kunde · Müller, Köhler, Weiß/,
        /❯ the same text for all/,
        typed(/\{\{2\}\} order$/),
        typed(/the value is empty/, ':soon'),
        typed(/Country of national numbers such as 0151 12345678/, 'Deutschland'),
        typed(/Type y to send 3/, 'y'),
      ],
      env,
    );
    expect([code, asked]).toEqual([0, expect.stringContaining('Which one has them? Mobil\n')]);
    const messages = [
      ['+4915112345678', 'Müller', ':soon'],
      ['+4915112345679', 'Köhler', ':soon'],
      ['+4915112345670', 'Weiß', ':soon'],
    ];
    expect(sent()).toEqual(messages);
    write('people.csv', Buffer.from(`${rows}0151 12345671;Ähre;A-4\n`, 'latin1'));
    const repeated = await talk(['send-batch', 'order_update', file, '--batch', 'people'], [], env);
    expect([repeated.code, repeated.asked, sent()]).toEqual([
      0,
      '',
      [...messages, ['+4915112345671', 'Ähre', ':soon']],
    ]);
  });

  it('not if a column has the name of a variable', async () => {
    const { write, talk, sent, env } = await person();
    const rows = [
      ['Phone', 'NAME', 'order'],
      ['+12025550141', 'Ada', 'A-1'],
    ];
    const file = write('people.xlsx', workbook([{ rows }]));
    const { stderr } = await talk(['send-batch', 'order_update', file], [typed(/Type y to send 1/, 'y')], env);
    expect([stderr, sent()]).toEqual([
      expect.stringContaining('{{1}} name ← column NAME\n{{2}} order ← column order\n'),
      [['+12025550141', 'Ada', 'A-1']],
    ]);
  });

  it('by contacts import, too, with the likely columns first', async () => {
    const { write, talk, sandbox, env } = await person();
    const columns = Array.from({ length: 20 }, (_, at) => `c${at}`);
    const file = write('wide.csv', `${columns.join(',')},Handy\n${columns.join(',')},0151 12345678\n`);
    const answers = [/❯ Handy · 0151 12345678/, typed(/Country of national/, 'DE'), typed(/Type y to import 1/, 'y')];
    const { code } = await talk(['contacts', 'import', file, '--keep', 'Handy,c1'], answers, env);
    expect([code, sandbox.contacts().at(-1)]).toMatchObject([0, { phone: '+4915112345678' }]);
  });

  it('only among the columns that may have the phones', async () => {
    const { write, talk, sent, env } = await person();
    const file = write('people.csv', 'x,Phone,Mobile\n1,+12025550141,+12025550151\n');
    const answers = [/❯ Mobile · \+12025550151/, typed(/Type y/, 'y')];
    const { asked } = await talk(['send-batch', 'welcome', file], answers, env);
    expect([sent(), asked]).toEqual([[['+12025550151']], expect.not.stringContaining('x ·')]);
  });

  it('and --encoding is named if the guess is wrong', async () => {
    const { write, talk, sent, env } = await person();
    const file = write('people.csv', Buffer.from('phone,name\n+12025550141,Köhler\n', 'latin1'));
    const ran = await talk(['send-batch', 'welcome', file], [typed(/windows-1252: Köhler — right\?/, 'n')], env);
    expect([ran.code, ran.stderr, sent()]).toEqual([11, expect.stringContaining('such as --encoding iso-8859-2'), []]);
  });

  it('without characters that a terminal interprets', async () => {
    const { write, talk, env } = await person();
    const evil = '\u001b]owned\u0007\u001b[31m\u202eevil';
    const file = write(`p${evil.replaceAll('/', '')}.csv`, `Handy ${evil},Vor${evil}\n+12025550141,${evil}\n`);
    const answers = [/❯ Handy/, /❯ Vor/, /❯ Vor/, typed(/Type y/, 'y')];
    const { asked, stderr, stdout } = await talk(['send-batch', 'order_update', file], answers, env);
    const shown = asked + stderr + stdout;
    expect([shown.includes('evil, your order'), /\u001b\]0|\u001b\[31m|\u202e|\u0007/.exec(shown)]).toEqual([
      true,
      null,
    ]);
  });

  it.each([
    [[], 'the template is missing'],
    [['people.csv'], 'the template is missing'],
    [['welcome'], 'the file is missing'],
    [['welcome', 'people.csv'], '--map Handy=phone'],
    [['order_update', 'people.csv', '--map', 'Handy=phone'], '-p'],
  ])('elsewhere it is an error: %j', async (words, message) => {
    const { write, script, sent } = await person();
    const file = write('people.csv', 'Handy\n+12025550141\n');
    const argv = words.map((word) => (word === 'people.csv' ? file : word));
    const { code, stderr } = await script(['send-batch', ...argv, '--batch', 'b', '--at-most', '1']);
    expect([code, stderr, sent()]).toEqual([expect.any(Number), expect.stringContaining(message), []]);
    expect([2, 11]).toContain(code);
  });
});
