import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../support/cli.ts';
import { openHostile } from '../support/fake-service.ts';
import { noteCodes } from '../support/json-lines.ts';
import { openWorld, type World } from '../support/world.ts';
import { some } from '../support/long-tests.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function sending(template: string, text: string, ...words: readonly string[]) {
  const file = join(world.home, 'orders.csv');
  writeFileSync(file, text);
  return world.run(['send-batch', template, file, ...words, '-o', 'json']);
}

const sent = () => world.sandbox.messages().map(({ to, params }) => [to, ...params]);
const orders = 'phone,name,order\n+12025550141,Ada,A-1\n+12025550142,Alan,A-2\n';

it.each(
  some([
    [
      ['-p', ':name', '-p', ':order'],
      ['Ada', 'A-1'],
      ['Alan', 'A-2'],
    ],
    [
      ['-p', ':name', '-p', 'soon'],
      ['Ada', 'soon'],
      ['Alan', 'soon'],
    ],
    [
      ['-p', 'Dear', '-p', ':name'],
      ['Dear', 'Ada'],
      ['Dear', 'Alan'],
    ],
    [
      ['--param=-p', '--param=:order'],
      ['-p', 'A-1'],
      ['-p', 'A-2'],
    ],
    [
      ['-pDear', '-p', ':name'],
      ['Dear', 'Ada'],
      ['Dear', 'Alan'],
    ],
  ]),
)('sends the params in the order of %j', async (words, ada, alan) => {
  const { code } = await sending('order_update', orders, ...words);
  expect([code, sent()]).toEqual([
    0,
    [
      ['+12025550141', ...ada],
      ['+12025550142', ...alan],
    ],
  ]);
});

it('skips a row that equals an earlier one', async () => {
  const { code, stdout } = await sending('welcome', 'to\n+12025550141\n+12025550142\n+12025550141\n');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { rows: 3, sent: 2, failed: 0, skipped: { duplicate: 1 } }]);
  expect(sent()).toEqual([['+12025550141'], ['+12025550142']]);
});

const twice = {
  csv: 'to,name\n+12025550141,Ada\n+12025550141,Bob\n',
};

it('sends one of two different messages to one recipient, and both with --per', async () => {
  const words = ['-p', ':name', '-p', 'A-1'];
  const once = await sending('order_update', `${twice.csv}+12025550142,Cleo\n`, ...words);
  const { sent: count, skipped, files } = JSON.parse(once.stdout);
  expect([once.code, count, skipped.another_message, files.failed]).toEqual([0, 2, 1, null]);
  const both = await sending('order_update', `${twice.csv}+12025550142,Cleo\n`, ...words, '--per', 'name');
  expect(JSON.parse(both.stdout)).toMatchObject({ sent: 3, failed: 0 });
});

it('lists in a dry run the rows with another message for an earlier recipient', async () => {
  const ran = await sending('order_update', twice.csv, '-p', ':name', '-p', 'A-1', '--dry-run');
  expect(JSON.parse(ran.stdout)).toMatchObject({ would_send: 1, conflict_rows: [{ line: 3, same_as: 2 }] });
});

it.each([
  ['an empty value', 'to,order\n+12025550141,\n', 'order', 10, '--per, order: it is empty'],
  ['a column that does not exist', 'to,order\n+12025550141,1\n', 'orders', 2, '--per names \\"orders\\"'],
])('refuses %s of --per', async (_, text, column, code, says) => {
  const ran = await sending('welcome', text, '--per', column);
  expect([ran.code, ran.stdout + ran.stderr, sent()]).toEqual([code, expect.stringContaining(says), []]);
});

it.each([
  ['0', 'is not between'],
  ['401d', 'is not between'],
  ['soon', 'is not a span'],
])('refuses --skip-sent=%s', async (time, says) => {
  const ran = await sending('welcome', orders, `--skip-sent=${time}`);
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(says)]);
});

it('does not take the word after --skip-sent as its time', async () => {
  const file = join(world.home, 'people.csv');
  writeFileSync(file, 'to\n+12025550142\n');
  expect((await world.run(['send-batch', 'welcome', '--skip-sent', file])).code).toBe(0);
});

it('refuses --skip-sent with --again', async () => {
  const ran = await sending('welcome', orders, '--skip-sent', '--again');
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('contradict each other')]);
});

it('ignores the column bizmsg_error', async () => {
  await sending('order_update', twice.csv, '-p', ':name', '-p', 'A-1');
  const { code } = await sending('welcome', 'to,bizmsg_error\n+12025550142,\n');
  expect([code, sent()]).toEqual([0, [['+12025550141', 'Ada', 'A-1'], ['+12025550142']]]);
});

it.each([
  ['-p', 'sk_live_0123456789abcdef'],
  ['--param=:sk_test_0123456789abcdef', '--yes'],
])('refuses a param that looks like a key: %s %s', async (...words) => {
  const { code, stdout, stderr } = await sending('welcome', orders, ...words);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('contains something that looks like a key')]);
  expect([stderr.includes('0123456789ab'), readdirSync(world.home), sent()]).toEqual([
    false,
    expect.not.arrayContaining(['orders.failed.csv']),
    [],
  ]);
});

describe('a key without a known prefix', () => {
  const bareKey = 'Zt5hWq8LpXc2Vn9BdK4m';
  const inEnvironment = async () => ({ ...world.env, BIZMSG_API_KEY: bareKey });
  const inOtherProfile = async () => {
    const add = [
      'login',
      '--no-check',
      '--profile',
      'other',
      '--base-url',
      'https://api.example.com',
      '--mode',
      'live',
      '--key-stdin',
    ];
    expect((await world.run(add, { env: {}, stdin: bareKey })).code).toBe(0);
    return world.env;
  };
  const homes = { 'in the environment': inEnvironment, 'in another profile': inOtherProfile };
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['-p', ['send-batch', 'welcome', 'orders.csv', '-p', bareKey]],
    ['--param=', ['send-batch', 'welcome', 'orders.csv', `--param=x${bareKey}`]],
    ['the template', ['send-batch', bareKey, 'orders.csv']],
    ['the name of the file', ['send-batch', 'welcome', `${bareKey}.csv`]],
    ['the name of its folder', ['send-batch', 'welcome', `${bareKey}/orders.csv`]],
    ['--set', ['contacts', 'import', 'orders.csv', '--set', `tok=${bareKey}`]],
  ];

  it.each(Object.entries(homes).flatMap(([where, stage]) => lines.map((line) => [where, ...line, stage] as const)))(
    '%s is refused as %s of a run, and no file of the run holds it',
    async (_where, _what, words, stage) => {
      const env = await stage();
      mkdirSync(join(world.home, bareKey));
      for (const name of ['orders.csv', `${bareKey}.csv`, `${bareKey}/orders.csv`])
        writeFileSync(join(world.home, name), orders);
      const inHome = words.map((word) => (word.endsWith('.csv') ? join(world.home, word) : word));
      const { code, stdout, stderr } = await world.run(inHome, { env });
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('contains a key stored on this machine')]);
      expect(stderr).not.toContain(bareKey);
      expect(sent()).toEqual([]);
      expect(existsSync(join(world.home, '.local/state/bizmsg/runs'))).toBe(false);
    },
  );
});

it('suggests swapping the template and the file', async () => {
  const file = join(world.home, 'orders.csv');
  writeFileSync(file, orders);
  const { code, stderr } = await world.run(['send-batch', file, 'order_update']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('the template comes first, then the file: bizmsg send-batch order_update '),
  ]);
  expect(sent()).toEqual([]);
});

it('suggests one -p for each column', async () => {
  const { code, stderr } = await sending('order_update', orders, '-p', ':name,order');
  const hint = 'one -p for each: -p :name -p :order';
  expect([code, stderr, sent()]).toEqual([2, expect.stringContaining(hint), []]);
});

it('refuses an empty param, except with --allow-empty', async () => {
  const text = 'phone,name\n+12025550141,\n';
  const words = ['-p', ':name', '-p', '1'];
  const refused = await sending('order_update', text, ...words);
  expect([refused.code, sent()]).toEqual([10, []]);
  await sending('order_update', text, ...words, '--allow-empty');
  expect(sent()).toEqual([['+12025550141', '', '1']]);
});

it('warns before it sends if the template has another number of variables', async () => {
  const { code, stderr } = await sending('order_update', orders, '-p', ':name');
  expect([code, noteCodes(stderr).includes('template')]).toEqual([10, true]);
  expect(stderr).toContain('has 2 variables, and 1 param is given"');
});

it('warns before it sends if the service does not list the template, in a dry run too', async () => {
  const { stderr } = await sending('order_updat', orders, '-p', ':name', '--dry-run');
  expect(stderr).toContain('the service does not list a template \\"order_updat\\"');
});

it('shows the first message in a dry run', async () => {
  const words = ['-p', ':name', '-p', ':order', '--dry-run'];
  const { stdout } = await sending('order_update', orders, ...words);
  expect(JSON.parse(stdout)).toMatchObject({ first_text: 'Hello Ada, your order A-1 is on its way.' });
});

it('shows the first message that will be sent, not one that was sent before', async () => {
  const words = ['-p', ':name', '-p', ':order'];
  const [header, first = '', second = ''] = orders.split('\n');
  await sending('order_update', `${header}\n${first}\n`, ...words);
  const { stdout } = await sending(
    'order_update',
    `${header}\n${first}\n${second}\n`,
    ...words,
    '--skip-sent',
    '--dry-run',
  );
  expect(JSON.parse(stdout)).toMatchObject({ would_send: 1, first_text: 'Hello Alan, your order A-2 is on its way.' });
});

it('refuses a param that is the name of a column', async () => {
  const { code, stderr } = await sending('order_update', orders, '-p', 'Name', '-p', ':order');
  expect([code, sent()]).toEqual([2, []]);
  expect(stderr).toContain('to send the value of the column: -p :Name');
});

it('finds columns in any case, and sends a text that begins with a colon', async () => {
  const words = ['-p', ':NAME', '-p', '::)', '--dry-run'];
  const { stdout } = await sending('order_update', 'Phone,Name\n+12025550141,Ada\n', ...words);
  expect(JSON.parse(stdout)).toMatchObject({ first: { params: ['Ada', ':)'] } });
});

it.each([[[]], [['--yes']]])('refuses a live batch of a template that cannot match: %j', async (more) => {
  world.sandbox.keys.goLive();
  const env = { ...world.env, BIZMSG_API_KEY: world.sandbox.keys.live };
  const file = join(world.home, 'orders.csv');
  writeFileSync(file, orders);
  const words = ['send-batch', 'order_update', file, '-p', ':name', '--at-most', '9', '-o', 'json', ...more];
  const refused = await world.run(words, { env });
  expect([refused.code, sent()]).toEqual([11, []]);
  expect(refused.stderr).toContain(
    '"code":"template-unfit","message":"the template \\"order_update\\" has 2 variables',
  );
});

it('a job with other rows than before is listed with all of them', async () => {
  for (const phone of ['+12025550141', '+12025550142']) await sending('welcome', `phone\n${phone}\n`, '--job', 'greet');
  const { stdout } = await world.run(['runs', 'list', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ job: 'greet', rows: 2, sent: 2, left: 0 })]);
});

describe('--exclude-from', () => {
  it.each([
    ['phones, one a line', '+12025550141\n+1 202 555 0199\n'],
    ['a table with a column phone', 'name,phone\nAda,+12025550141\n'],
    ['objects with a field to', '{"to":"+12025550141"}\n'],
    ['a table with a column Phone', 'Name;Phone\nAda;+12025550141\n'],
  ])('leaves out the recipients in %s', async (_, text) => {
    const file = join(world.home, `never-${text.length}${text.startsWith('{') ? '.ndjson' : '.csv'}`);
    writeFileSync(file, text);
    const rows = 'phone\n+12025550141\n+12025550142\n';
    const { code, stdout } = await sending('welcome', rows, '--exclude-from', file);
    expect([code, sent().map(([to]) => to)]).toEqual([0, ['+12025550142']]);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ rows: 2, sent: 1, skipped: { excluded: 1 }, not_reached: 0 });
    const shown = await world.run(['runs', 'show', result.run, '--outcome', 'excluded', '-o', 'json']);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ line: 2, reason: 'in a file of --exclude-from' }]);
  });

  it.each([
    ['as both have it', '+4402079460018', '+4402079460018'],
    ['that the list has in its normal form', '+4402079460018', '+442079460018'],
    ['that the input has in its normal form', '+442079460018', '+4402079460018'],
  ])('leaves out a number with a needless zero, %s', async (_, phone, excluded) => {
    const file = join(world.home, 'never.csv');
    writeFileSync(file, `${excluded}\n`);
    const { code } = await sending('welcome', `phone\n${phone}\n+12025550142\n`, '--exclude-from', file);
    expect([code, sent()]).toEqual([0, [['+12025550142']]]);
  });

  it('leaves a file of failed rows with a row that was left out', async () => {
    const [never, failed] = [join(world.home, 'never.csv'), join(world.home, 'orders.failed.csv')];
    writeFileSync(never, '+12025550141\n');
    writeFileSync(failed, 'phone\n+12025550141\n+12025550142\n');
    const { code, stderr } = await world.run(['send-batch', 'welcome', failed, '--exclude-from', never]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('all its rows are sent')]);
  });

  it('leaves out the phones of two columns', async () => {
    const file = join(world.home, 'never.csv');
    writeFileSync(file, 'phone,to\n+12025550141,+12025550142\n,+12025550143\n');
    const rows = 'phone\n+12025550141\n+12025550142\n+12025550143\n+12025550144\n';
    await sending('welcome', rows, '--exclude-from', file);
    expect(sent()).toEqual([['+12025550144']]);
  });

  it('notes that it left out no row', async () => {
    const file = join(world.home, 'never.csv');
    writeFileSync(file, '+12025550199\n');
    const { code, stderr } = await sending('welcome', 'phone\n+12025550142\n', '--exclude-from', file);
    expect(code).toBe(0);
    expect(stderr).toContain(`no recipient is in ${file}`);
  });

  it.each([
    ['a line that is not a phone', '+12025550141\nAda\n', 'line 2'],
    ['a table without such a column', 'name,fax\nAda,+12025550141\n', 'no column named phone, to, mobile'],
    ['a typo in a second column', 'phone,to\n,+1202555014x\n', 'line 2'],
    ['one phone with a name', '+12025550142 Ada\n', 'no column named phone, to, mobile'],
    ['a header alone of another name', 'fax\n', 'no column named phone, to, mobile'],
    ['one national number', '2025550142\n', 'line 1'],
    ['national numbers', '(202) 555-0142\n202-555-0141\n', 'line 1'],
    ['a number without its plus', '12025550142', 'line 1'],
    ['a number that a spreadsheet has rounded', '1.20256E+10\n', 'line 1'],
    ['an empty file', '\n', 'is empty'],
  ])('refuses %s, and sends nothing', async (_, text, why) => {
    const file = join(world.home, 'wrong.csv');
    writeFileSync(file, text);
    const { code, stderr } = await sending('welcome', 'phone\n+12025550142\n', '--exclude-from', file);
    expect([code, sent()]).toEqual([2, []]);
    expect(stderr).toContain(why);
    expect(stderr).toContain('the excluded phones: ');
  });

  it('refuses a missing file, and sends nothing', async () => {
    const file = join(world.home, 'missing.csv');
    const { code, stderr } = await sending('welcome', 'phone\n+12025550142\n', '--exclude-from', file);
    expect([code, sent()]).toEqual([3, []]);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { message: `the excluded phones: "${file}" cannot be read: there is no such file` },
    });
  });
});

describe('--hours', () => {
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const today = days[new Date().getUTCDay()] ?? '';
  const inThreeDays = days[(new Date().getUTCDay() + 3) % 7] ?? '';

  it('sends within them', async () => {
    const { code } = await sending('welcome', 'phone\n+12025550142\n', '--hours', `${today} 00:00-24:00 UTC`);
    expect([code, sent()]).toEqual([0, [['+12025550142']]]);
  });

  it('waits outside them; an interruption sends nothing', async () => {
    const stop = new AbortController();
    const file = join(world.home, 'orders.csv');
    writeFileSync(file, 'phone\n+12025550142\n');
    const words = ['send-batch', 'welcome', file, '--hours', `${inThreeDays} 00:00-24:00 UTC`];
    const asked = world.run(words, { signal: stop.signal });
    const ended = await Promise.race([asked.then(() => 'ended'), sleep(700).then(() => 'waiting')]);
    stop.abort('SIGINT');
    expect([ended, (await asked).code, sent()]).toEqual(['waiting', 130, []]);
  });

  it('of the profile apply as well, like its excluded phones', async () => {
    const excluded = join(world.home, 'never.txt');
    writeFileSync(excluded, '+12025550141\n');
    const add = ['login', '--no-check', '--profile', 'acme', '--base-url', world.url, '--key-stdin'];
    await world.bin(add, {}, world.sandbox.keys.sandbox);
    const hours = `${today} 00:00-24:00 UTC`;
    const set = await world.bin([
      'profiles',
      'set',
      'acme',
      '--hours',
      hours,
      '--exclude-from',
      excluded,
      '-o',
      'json',
    ]);
    expect(JSON.parse(set.stdout)).toMatchObject({ hours, exclude_from: excluded });
    const file = join(world.home, 'orders.csv');
    writeFileSync(file, 'phone\n+12025550141\n+12025550142\n');
    const words = ['send-batch', 'welcome', file, '--profile', 'acme', '-o', 'json'];
    const { code } = await world.run(words, { env: {} });
    expect([code, sent()]).toEqual([0, [['+12025550142']]]);
    const single = await world.run(['send-template', '+12025550141', 'welcome', '--profile', 'acme'], { env: {} });
    expect([single.code, sent()]).toEqual([11, [['+12025550142']]]);
    expect(single.stderr).toContain(`+12025550141 is in ${excluded}`);
    await world.bin(['profiles', 'set', 'acme', '--hours', `${inThreeDays} 00:00-24:00 UTC`]);
    const waiting = world.run(words, { env: {}, signal: AbortSignal.timeout(700) });
    expect([(await waiting).code, sent()]).toEqual([130, [['+12025550142']]]);
    const missing = join(world.home, 'missing.txt');
    const typo = await world.bin(['profiles', 'set', 'acme', '--hours', 'none', '--exclude-from', missing]);
    expect([typo.code, typo.stderr]).toEqual([3, expect.stringContaining('cannot be read: there is no such file')]);
    await world.bin(['profiles', 'set', 'acme', '--hours', 'none']);
    rmSync(excluded);
    const refused = await world.run(words, { env: {} });
    expect([refused.code, sent()]).toEqual([3, [['+12025550142']]]);
    expect(refused.stderr).toContain('cannot be read: there is no such file');
    await world.bin(['profiles', 'set', 'acme', '--hours', 'none', '--exclude-from', 'none']);
    expect((await world.run(['profiles', 'list', '-o', 'json'], { env: {} })).stdout).toContain('"hours":null');
  });

  it('do not hold up the look at the template', async () => {
    const hours = `${inThreeDays} 00:00-24:00 UTC`;
    const { stdout } = await sending('welcome', 'phone\n+12025550142\n', '--hours', hours, '--dry-run');
    expect(JSON.parse(stdout)).toMatchObject({ first_text: 'Welcome! Write to us here whenever you need us.' });
  });

  it('are refused without a time zone', async () => {
    const { code, stderr } = await sending('welcome', 'phone\n+12025550142\n', '--hours', 'mon-fri 09:00-18:00');
    expect([code, sent()]).toEqual([2, []]);
    expect(stderr).toContain('has no time zone');
  });
});

it('shows its share of the monthly quota', async () => {
  await world.bin(
    ['login', '--no-check', '--profile', 'acme', '--base-url', world.url, '--key-stdin', '--plan', 'starter'],
    {},
    world.sandbox.keys.sandbox,
  );
  const file = join(world.home, 'orders.csv');
  writeFileSync(file, `phone\n${Array.from({ length: 300 }, (_, at) => `+1202${5_000_000 + at}\n`).join('')}`);
  const words = ['send-batch', 'welcome', file, '--profile', 'acme', '--dry-run', '-o', 'table'];
  const { code, stdout } = await world.run(words, { env: {} });
  expect(code).toBe(0);
  expect(stdout).toContain('at 54 a minute it takes at least 5 min: 54 at once, then 54 each minute\n');
  expect(stdout).toContain("300 messages are 10.0 % of the plan's month of 3,000\n");
  const one = await world.run([...words, '--first', '1'], { env: {} });
  expect(one.stdout).toContain("1 message is 0.0 % of the plan's month of 3,000\n");
});

it.each([
  ['an unknown column', ['-p', ':nam'], 'nam'],
  ['no recipient', ['--map', 'recipient=phone'], 'recipient'],
])('refuses %s', async (_, words, said) => {
  const { code, stdout, stderr } = await sending('welcome', orders, ...words);
  expect([code, stdout, stderr, sent()]).toEqual([2, '', expect.stringContaining(said), []]);
});

it('reads national numbers with --country, and those of --exclude-from', async () => {
  const never = join(world.home, 'never.csv');
  // windows-1252, with the column of the input.
  writeFileSync(never, Buffer.from('Mobil;Name\n(202) 555-0142;M\u00fcller\n', 'latin1'));
  const text = 'Mobil\n(202) 555-0141\n202-555-0142\n';
  const words = ['--map', 'mobil=phone', '--country', 'US', '--exclude-from', never];
  const { code } = await sending('welcome', text, ...words);
  expect([code, sent()]).toEqual([0, [['+12025550141']]]);
});

it('takes the country and the encoding of the profile, and checks excluded phones when they are set', async () => {
  const [never, file] = [join(world.home, 'never.txt'), join(world.home, 'orders.csv')];
  writeFileSync(never, '(202) 555-0142\n');
  writeFileSync(file, Buffer.from('phone,name\n(202) 555-0141,M\u00fcller\n202-555-0142,Bo\n', 'latin1'));
  await world.bin(
    ['login', '--no-check', '--profile', 'acme', '--base-url', world.url, '--key-stdin'],
    {},
    world.sandbox.keys.sandbox,
  );
  const set = (...words: readonly string[]) =>
    world.bin(['profiles', 'set', 'acme', '--exclude-from', never, ...words]);
  expect(await set()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 1: "(202) 555-0142" is not a phone'),
  });
  expect((await set('--country', 'us', '--encoding', 'latin1')).code).toBe(0);
  const words = ['send-batch', 'order_update', file, '-p', ':name', '-p', 'A-1', '--profile', 'acme'];
  expect((await world.run(words, { env: {} })).code).toBe(0);
  expect(sent()).toEqual([['+12025550141', 'M\u00fcller', 'A-1']]);
  const single = await world.run(['send-template', '(202) 555-0142', 'welcome', '--profile', 'acme'], { env: {} });
  expect([single.code, single.stderr]).toEqual([11, expect.stringContaining('+12025550142 is in')]);
});

it('keeps the opt-out words of a profile until none removes them', async () => {
  const key = world.sandbox.keys.sandbox;
  await world.bin(['login', '--no-check', '--profile', 'acme', '--base-url', world.url, '--key-stdin'], {}, key);
  const set = async (words: string) =>
    (await world.bin(['profiles', 'set', 'acme', '--opt-out-words', words, '-o', 'json'], {})).stdout;
  expect(await set('ABMELDEN, nicht mehr')).toContain('"opt_out_words":"ABMELDEN,nicht mehr"');
  expect(await set('none')).toContain('"opt_out_words":null');
});

it('says once that a sandbox key of a service reaches no phone', async () => {
  const caller = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  const file = join(caller.home, 'to.csv');
  writeFileSync(file, 'phone\n+12025550141\n+12025550142\n');
  const { stdout, stderr } = await cli(['send-batch', 'welcome', file], caller);
  expect(stdout).toMatch(/^Done \(sandbox\): 2 of 2 rows sent/);
  expect(stderr.match(/no message reaches a phone/g)).toHaveLength(1);
});

it.each(['+12025550141,Ada\n+12025550142,Alan\n', '12025550141\n12025550142\n'])(
  'refuses a file whose first line holds a phone: %j',
  async (text) => {
    const { code, stderr } = await sending('welcome', text);
    expect([code, sent()]).toEqual([2, []]);
    expect(stderr).toContain('add a line with the names of the columns above it, such as phone,name');
  },
);
