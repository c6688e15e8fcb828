import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { cli, type CliOptions, later } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { errorIn, noteCodes, objects } from '../support/json-lines.ts';
import { envOf, openService, type Reply } from '../support/service.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => void (world = await newWorld()));

const [ada, bo, cy] = ['+12025550141', '+12025550142', '+12025550143'];
const orders = `phone,name,order\n${ada},Ada,A-1\n${bo},Bo,A-2\n`;
const params = ['-p', ':name', '-p', ':order'];

/** Sends to the people of a file; `sent` has the new messages. */
async function batch(text: string | Buffer, words: readonly string[], options: Partial<CliOptions> = {}) {
  const before = world.sandbox.messages().length;
  const path = world.write('orders.csv', text);
  const ran = await world.run(['send-batch', 'order_update', path, ...words, '-o', 'json'], options);
  const sent = world.sandbox.messages().slice(before);
  const result = JSON.parse(ran.stdout === '' ? '{}' : ran.stdout);
  return { ...ran, result, sent: sent.map(({ to, params: texts }) => [to, ...texts]) };
}

/** The same with a live key. */
function live(text: string, words: readonly string[], options: Partial<CliOptions> = {}) {
  world.sandbox.keys.goLive();
  const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
  return batch(text, words, { env, ...options });
}

it.each([
  [['-p', 'Name'], 'to send the value of the column: -p :Name'],
  [['-p', ':nam'], 'did you mean \\"name\\"?'],
  [['-p', ':name', '--default', 'nam=x'], '--default names \\"nam\\"'],
  [['-p', 'sk_live_0123456789abcdef'], 'contains a key'],
])('-p %j is refused', async (words, hint) => {
  const { code, stdout, stderr, sent } = await batch(orders, words);
  expect([code, stdout, stderr, sent]).toEqual([2, '', expect.stringContaining(hint), []]);
});

const german = `phone,land,name,order\n0170 1234567,Germany,Ada,A-1\n${bo},,Bo,A-2\n`;
const landed = 'phone,land,name,order\n0170 1234567,DE,Ada,A-1\n202-555-0142,US,Bo,A-2\n';
const both = [ada, bo];
const people = ['+491701234567', bo];

describe('an option sends', () => {
  it.each<[string, string | Buffer, readonly string[], readonly string[]]>([
    ['to the column of --map', `a,to,name,order\n${bo},x,Ada,A-1\n`, ['--map', 'A=phone'], [bo]],
    ['to national numbers of --country', german, ['--country', 'de'], people],
    ['to those of a country by its name', german, ['--country', 'Deutschland'], people],
    ['to those of the country in a column', landed, ['--country', ':Land'], people],
    ['to those of intl without a plus', orders.replaceAll('+', ''), ['--country', 'intl'], both],
    ['to those of --where', orders, ['--where', 'name=Ada'], [ada]],
    ['to those who meet both', orders, ['--where', 'name=Ada', '--where', 'order=A-2'], []],
    ['to the first with --first', orders, ['--first', '1'], [ada]],
    ['one message per person', `${orders}${ada},Ada,A-3\n`, [], both],
    ['one per person and value with --per', `${orders}${ada},Ada,A-3\n`, ['--per', 'Order'], [ada, bo, ada]],
    ['one per person with --per phone', `${orders}${ada},Ada,A-3\n`, ['--per', 'phone'], both],
  ])('%s', async (_, text, words, phones) => {
    const { code, sent, result } = await batch(text, [...params, ...words]);
    expect([code, sent.map(([to]) => to)]).toEqual([0, phones]);
    const { rows, sent: count, failed, unsure, waiting, not_sent: notSent } = result;
    expect(count + failed + unsure + waiting + notSent).toBe(rows);
  });

  it('the text of --default for an empty cell, which otherwise fails its row', async () => {
    const text = `phone,name,order\n${ada},,A-1\n${bo},Bo,A-2\n`;
    const failed = await batch(text, [...params, '--batch', 'a']);
    const reason = { outcome: 'failed', reason: 'param 1, name: it is empty', count: 1, lines: [2] };
    expect([failed.code, failed.sent]).toEqual([10, [[bo, 'Bo', 'A-2']]]);
    expect(failed.result).toMatchObject({ failed: 1, reasons: [reason] });
    const { code, sent } = await batch(text, ['--default', 'name=friend', '--batch', 'a']);
    expect([code, sent]).toEqual([0, [[ada, 'friend', 'A-1']]]);
  });
});

it('a row that --where excluded is not sent later if it cannot be read', async () => {
  const words = [...params, '--batch', 'a'];
  await batch(`phone,name,order\n12,Bo,A-2\n,Bo,A-3\n${ada},Ada,A-1\n`, [...words, '--where', 'name=Ada']);
  await batch(orders, [...words, '--where', 'name=Bo']);
  const { stdout } = await world.run(['batches', 'resume', 'a', '-o', 'json']);
  const reasons = [{ outcome: 'failed', reason: 'it cannot be read: load its file again', count: 2 }];
  expect(JSON.parse(stdout)).toMatchObject({ rows: 4, sent: 2, failed: 2, now: { sent: 0 }, reasons });
});

describe('--hours', () => {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const on = (inDays: number) => `${days[(new Date().getUTCDay() + inDays) % 7]} 00:00-24:00 UTC`;

  /** Interrupts a command that waits for a minute. */
  function impatient(): Partial<CliOptions> {
    const stop = new AbortController();
    const wait: CliOptions['later'] = (milliseconds, run) => {
      if (milliseconds >= 60_000) stop.abort('SIGINT');
      return later(milliseconds, run);
    };
    return { signal: stop.signal, later: wait };
  }

  it('hold the messages outside them, and are kept until --no-hours', async () => {
    const words = [...params, '--batch', 'a'];
    const waiting = await batch(orders, [...words, '--hours', on(3)], impatient());
    expect([waiting.code, waiting.sent, waiting.result.waiting]).toEqual([130, [], 2]);
    expect((await batch(orders, words, impatient())).code).toBe(130);
    const { code, sent } = await batch(orders, [...words, '--no-hours']);
    expect([code, sent.length]).toEqual([0, 2]);
  });
});

/** A batch "a" whose rows have each outcome: Ada is sent, Bo is unsure, Cy waits, and one failed. */
async function withEachOutcome() {
  const text = `${orders}${cy},Cy,A-3\n12,Di,A-4\n`;
  const words = [...params, '--batch', 'a'];
  await batch(text, [...words, '--first', '1']);
  world.sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' }, times: 1 });
  const { result } = await batch(text, [...words, '--first', '2']);
  expect(result).toMatchObject({ sent: 1, unsure: 1, waiting: 1, failed: 1 });
}

describe('--from-batch', () => {
  it.each([
    ['a', 0, [ada]],
    ['a:unsure', 0, [bo]],
    ['a:waiting', 0, [cy]],
    ['a:failed', 10, []],
  ])('%s sends to those people with their columns', async (name, exit, phones) => {
    await withEachOutcome();
    const before = world.sandbox.messages().length;
    const line = `send-batch order_update --from-batch ${name} -p :name -p :order --batch b -o json`;
    const { code, stdout } = await world.run(line.split(' '));
    const sent = world.sandbox.messages().slice(before);
    expect([code, sent.map(({ to }) => to), JSON.parse(stdout).rows]).toEqual([exit, phones, 1]);
  });

  it('without any people is not an error', async () => {
    await batch(orders, [...params, '--batch', 'a']);
    const words = ['send-batch', 'order_update', '--from-batch', 'a:failed', ...params, '--batch', 'b'];
    expect(await world.run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining('0 of 0') });
  });

  it.each([
    ['a:later', 2, '"later" is not one of failed, waiting, unsure'],
    ['z', 5, 'there is no batch z'],
  ])('%s is refused', async (name, code, message) => {
    await batch(orders, [...params, '--batch', 'a']);
    const ran = await world.run(['send-batch', 'order_update', '--from-batch', name, ...params]);
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});

describe('with a live key', () => {
  const words = (name: string) => [...params, '--batch', name, '--at-most', '9'];

  it.each([
    ['a script without a name', params, 2, 'add --batch orders'],
    ['a script without a limit', [...params, '--batch', 'a'], 11, 'add --at-most 2'],
    ['more rows than the limit', [...params, '--batch', 'a', '--at-most', '1'], 11, '2 rows would be sent'],
    ['--yes without a limit', [...params, '--batch', 'a', '--yes'], 11, '--yes is not enough'],
    ['a template that cannot match', ['-p', ':name', '--batch', 'a', '--at-most', '9'], 11, 'has 2 variables'],
    ['a name with a blank', [...params, '--batch', 'a b', '--at-most', '9'], 2, 'is not a name of a batch'],
  ])('%s is refused', async (_, options, exit, message) => {
    const { code, stdout, stderr, sent } = await live(orders, options);
    expect([code, stdout, stderr, sent]).toEqual([exit, '', expect.stringContaining(message), []]);
  });

  it('people who are listed twice with two texts stop a script, until --per phone sends the first', async () => {
    const text = `${orders}${ada},Ada,A-3\n`;
    const { code, stderr, sent } = await live(text, words('a'));
    expect([code, sent]).toEqual([11, []]);
    const hint = '--per phone sends each the first; --per order sends each text: 1 more message';
    expect(errorIn(stderr)['hint']).toBe(`nothing was sent; ${hint}`);
    expect((await live(text, [...words('a'), '--per', 'phone'])).sent.length).toBe(2);
  });

  it('without a record, a key from the environment needs --no-memory', async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const [home, env] = [newHome(), envOf(service)];
    const file = world.write('people.csv', `phone\n${ada}\n`);
    const argv = ['send-batch', 'welcome', file, '--batch', 'a', '--at-most', '1'];
    const refused = await cli(argv, { home, env });
    expect([refused.code, service.asked.length]).toEqual([11, 0]);
    expect(refused.stderr).toContain('--no-memory');
    const { code, stderr } = await cli([...argv, '--no-memory'], { home, env });
    expect([code, service.asked.length]).toEqual([0, 1]);
    expect(stderr).toContain('this machine has no record yet');
  });
});

describe('a file is refused', () => {
  it.each([
    ['without a byte', '', 'has no rows'],
    ['with a header alone', 'phone,name,order\n', 'has no rows'],
    ['with a phone in its first line', `${ada},Ada\n`, 'such as phone,name'],
    ['with two columns of phones', `phone,mobile,name,order\n${ada},${bo},Ada,1\n`, '--map phone=phone'],
    ['without a column of phones', `hotel,workTel,name,order\nHilton,${ada},Ada,1\n`, '--map workTel=phone'],
  ])('%s', async (_, text, message) => {
    for (const more of [[], ['--dry-run']]) {
      const { code, stderr, sent } = await batch(text, [...params, ...more]);
      expect([code, stderr, sent]).toEqual([2, expect.stringContaining(message), []]);
    }
  });
});

it.each([
  ['has other variables', 'order_update', 'the template "order_update" has 2 variables, and 1 param is given'],
  ['is not listed', 'order_updat', 'the service does not list a template "order_updat"; did you mean order_update?'],
])('notes with a sandbox key that the template %s', async (_, template, message) => {
  const argv = ['send-batch', template, world.write('orders.csv', orders), '-p', ':name', '--dry-run'];
  expect((await world.run(argv)).stderr).toContain(`note: ${message}`);
});

it('a live batch of a template that is not approved is refused, and says so', async () => {
  world.sandbox.keys.goLive();
  const words = [
    'send-batch',
    'spring_sale',
    world.write('orders.csv', orders),
    '-p',
    ':name',
    '--batch',
    'a',
    '--at-most',
    '9',
    '--no-memory',
  ];
  const { code, stderr } = await world.run(words, { env: { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live } });
  expect([code, stderr]).toEqual([11, expect.stringMatching(/"spring_sale" is PENDING\n.* to be approved\n$/)]);
});

it('notes with a sandbox key who got the template before', async () => {
  await batch(orders, [...params, '--batch', 'a']);
  const { code, stderr, sent } = await batch(orders, [...params, '--batch', 'b']);
  expect([code, sent.length]).toEqual([0, 2]);
  expect(stderr).toContain('2 people got this template before (a); a live batch leaves them out without --again');
  expect((await batch(orders, [...params, '--batch', 'c', '--again'])).stderr).not.toContain('before');
});

it('a dry run shows the time and the month of the plan of a profile', async () => {
  const add = `login --no-check --profile acme --base-url ${world.url} --key-stdin --plan starter`;
  await world.run(add.split(' '), { env: {}, stdin: world.sandbox.keys.sandbox });
  const rows = Array.from({ length: 300 }, (_, at) => `+1202${5_000_000 + at}\n`).join('');
  const words = [
    'send-batch',
    'welcome',
    world.write('people.csv', `phone\n${rows}`),
    '--profile',
    'acme',
    '--dry-run',
  ];
  const shown = async (...more: readonly string[]) => (await world.run([...words, ...more], { env: {} })).stdout;
  expect(await shown()).toContain('\n5 min at 54 a minute, the first 54 at once · 0 of 3,000 this month\n');
  expect(await shown('--rate', '30/m')).toContain('at 30 a minute');
});

/** Six rows: two are sent, one is refused and one is unsure. */
describe('the end', () => {
  const text = `phone,name\n${ada},Ada\n${bo},Bo\n${cy},Cy\n+12025550144,Di\n12,Ed\n${ada},Ada\n`;
  const replies: Readonly<Record<string, Reply>> = { [bo]: 422, [cy]: 500 };
  const sending = async (...words: readonly string[]) => {
    const service = await openService(({ phone }) => ({ reply: replies[phone] ?? 200 }));
    onTestFinished(() => service.close());
    const env = { ...envOf(service), BIZMSG_API_KEY: 'sk_test_0123456789abcdef' };
    return cli(['send-batch', 'sale', world.write('people.csv', text), '-p', ':name', ...words], {
      home: newHome(),
      env,
    });
  };

  it('is a screen with the next command for each outcome', async () => {
    const { code, stdout, stderr } = await sending();
    expect([code, stdout.replace(/, [\d.]+ m?s\n/, ', 1 s\n')]).toEqual([
      10,
      [
        'Batch people (sandbox): 2 of 6 have the message, 1 s',
        '     2 sent',
        '     2 failed    1 the service answered 422: status 422 (line 3) · 1 phone: "12" is not a phone number (line 6)',
        '     1 unsure    may have been sent: the service answered 500 Server Error: status 500',
        '     1 not sent  listed twice (line 7)',
        'The 2:      bizmsg batches report people --outcome failed > fix.csv',
        '            correct it, then: bizmsg send-batch sale fix.csv --batch people',
        'The 1:      bizmsg batches report people --outcome unsure',
        '            then: bizmsg batches mark people --sent, or --not-sent',
        '            or send them again: bizmsg batches resume people --resend unsure',
        'Report:     bizmsg batches report people > report.csv',
        '',
      ].join('\n'),
    ]);
    expect(stderr).toMatch(/^note: .*no message reaches a phone[^\n]*\n$/);
  });

  it('fits a narrow terminal, where the shell joins the lines of a long command', async () => {
    const [name, value] = ['a-name-of-a-batch-that-is-long', "it's a text of many words, and then some"];
    const words = [
      'send-batch',
      'order_update',
      world.write('p.csv', text),
      '-p',
      ':name',
      '-p',
      value,
      '--batch',
      name,
    ];
    const { stdout } = await world.run([...words, '--no-color'], { terminal: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const joined = stdout.replaceAll(/ \\\n +/g, ' ');
    expect(joined).toContain(`\nThe 1:      bizmsg batches report ${name} --outcome failed > fix.csv\n`);
    expect(joined).toContain(`then: bizmsg send-batch order_update fix.csv --batch ${name}\n`);
  });

  it('is one JSON object, and stderr has JSON too', async () => {
    const { stdout, stderr } = await sending('-o', 'json');
    const counts = { rows: 6, sent: 2, failed: 2, unsure: 1, waiting: 0, not_sent: 1 };
    const now = { sent: 2, failed: 1, unsure: 1 };
    const about = { type: 'summary', command: 'send-batch', batch: 'people', is_new: true, mode: 'sandbox' };
    expect(JSON.parse(stdout)).toMatchObject({ ...about, ...counts, now, template: 'sale', stopped: null });
    expect(noteCodes(stderr)).toEqual(['sandbox-key']);
  });

  it('is the last line of NDJSON, after a line for each row that was sent', async () => {
    const { stdout } = await sending('-o', 'ndjson', '--rate', 'none');
    const lines = objects(stdout);
    const outcomes = lines.slice(0, -1).map(({ type, line, outcome }) => [type, line, outcome].join(' '));
    expect(outcomes.sort()).toEqual(['row 2 sent', 'row 3 failed', 'row 4 unsure', 'row 5 sent']);
    expect(lines.at(-1)).toMatchObject({ type: 'summary', rows: 6 });
  });
});

describe('a dry run', () => {
  const text = `${orders}12,Cy,A-3\n,Di,A-4\n${ada},Ada,A-1\n${cy},,A-5\n+12025550144,Ed,A-6\n`;
  const rehearsing = async (...words: readonly string[]) => {
    const never = world.write('never.txt', '+12025550144\n');
    const argv = ['send-batch', 'order_update', world.write('orders.csv', text), ...params];
    return world.run([...argv, '--exclude-from', never, '--dry-run', ...words]);
  };

  it('is the screen of the question', async () => {
    const { code, stdout, stderr } = await rehearsing();
    expect([code, stderr, world.sandbox.counts().messages]).toEqual([0, '', 0]);
    expect(stdout.replace(world.home, '')).toBe(
      [
        'Batch orders (new) · template order_update · /orders.csv, 7 rows',
        '',
        '     2 to send',
        '     3 failed    1 phone: "12" is not a phone number (line 4) · 1 phone: it is empty (line 5) · 1 param 1, name: it is empty (line 7)',
        '     2 not sent  1 excluded · 1 listed twice (line 6)',
        '',
        `${ada}  Hello Ada, your order A-1 is on its way.`,
        `${bo}  Hello Bo, your order A-2 is on its way.`,
        '',
      ].join('\n'),
    );
  });

  it('is one JSON object whose counts are the rows of the file', async () => {
    const result = JSON.parse((await rehearsing('-o', 'json')).stdout);
    const counts = { rows: 7, to_send: 2, sent: 0, failed: 3, unsure: 0, waiting: 0, not_sent: 2 };
    const first = { to: ada, template: 'order_update', params: ['Ada', 'A-1'] };
    expect(result).toMatchObject({ type: 'dry_run', ...counts, first });
    expect(Object.keys(result)).not.toContain('now');
  });

  it('records nothing, and shows the first message that would be sent', async () => {
    await batch(orders, [...params, '--batch', 'a', '--first', '1']);
    for (const _ of ['first', 'second']) {
      const { result } = await batch(orders, [...params, '--batch', 'a', '--dry-run']);
      expect(result).toMatchObject({ is_new: false, to_send: 1, sent: 1, first: { to: bo } });
    }
  });
});
