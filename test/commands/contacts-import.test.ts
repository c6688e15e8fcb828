import { lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function file(text: string, name = 'people.csv'): string {
  const path = join(world.home, name);
  writeFileSync(path, text);
  return path;
}

const importing = (text: string, ...words: readonly string[]) =>
  world.run(['contacts', 'import', file(text), ...words]);

describe('contacts import', () => {
  it('creates a contact for every row', async () => {
    const { code, stdout } = await importing('phone,name\n+12025550141,Ada\n+12025550142,\n');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Done \(simulated\): 2 of 2 rows imported in [\d.]+ m?s\n$/),
    ]);
    expect(world.sandbox.contacts().slice(5)).toMatchObject([
      { phone: '+12025550141', name: 'Ada' },
      { phone: '+12025550142', name: undefined },
    ]);
  });

  it('maps, keeps, sets and converts', async () => {
    const text = 'Mobile,Full Name,tags,note\n(202) 555-0141,Ada,a;b,x\n';
    const words = [
      '--map',
      'Mobile=phone',
      '--map',
      'Full Name=name',
      '--keep',
      'tags',
      '--type',
      'tags=list:semicolon',
    ];
    const more = ['--set', 'attributes.source=crm', '--country', 'US'];
    expect((await importing(text, ...words, ...more)).code).toBe(0);
    const ada = { phone: '+12025550141', name: 'Ada', tags: ['a', 'b'], attributes: { source: 'crm' } };
    expect(world.sandbox.contacts().at(-1)).toMatchObject(ada);
  });

  it.each([
    ['a missing file', ['none.csv'], 'there is no such file'],
    ['a column that it has not', ['FILE', '--map', 'mobil=phone'], 'mobil'],
    ['none at once', ['FILE', '--concurrency', '0'], '--concurrency: "0" is too small'],
    ['a share of an unknown plan', ['FILE', '--rate', '50%'], 'the plan is not known'],
  ])('refuses %s, and sends nothing', async (_, words, said) => {
    const path = file('phone\n+12025550141\n');
    const { code, stdout, stderr } = await world.run([
      'contacts',
      'import',
      ...words.map((word) => (word === 'FILE' ? path : word)),
    ]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
    expect(world.sandbox.requests()).toEqual([]);
  });

  it("uses 90 % of the plan's rate limit, and prints the estimated duration", async () => {
    world.sandbox.setPlan({ name: 'starter', perMinute: undefined, perMonth: undefined, without: [] });
    const env = { ...world.env };
    await world.bin(
      ['login', '--no-check', '--profile', 'acme', '--base-url', world.url, '--key-stdin', '--plan', 'growth'],
      {},
      env.BIZMSG_API_KEY,
    );
    const rows = Array.from({ length: 1_000 }, (_, at) => `+1202${5_000_000 + at}\n`).join('');
    const words = ['contacts', 'import', file(`phone\n${rows}`), '--profile', 'acme', '--dry-run', '-o', 'json'];
    const { code, stdout } = await world.run(words, { env: {} });
    const rehearsal = { ready: 1_000, pace: { requests: 270, window_seconds: 60 }, least_seconds: 180, month: null };
    expect([code, JSON.parse(stdout)]).toMatchObject([0, rehearsal]);
  });
});

it('refuses a key in --set, and does not store one from a file name', async () => {
  const key = 'sk_live_0123456789abcdef';
  const path = file('phone\n+12025550141\n', `${key}.csv`);
  const set = await world.run(['contacts', 'import', path, '--set', `tok=${key}`]);
  expect([set.code, set.stderr]).toEqual([
    2,
    expect.stringContaining('"tok=sk_live_…cdef" contains something that looks like a key'),
  ]);
  await world.run(['contacts', 'import', path]);
  const folder = join(world.home, '.local/state/bizmsg');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const holding = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1').includes(key));
  expect(files.length).toBeGreaterThan(3);
  expect(holding.map(({ name }) => name)).toEqual([]);
});

it('continues a run through any link to its file, and does not change the link', async () => {
  const path = file('phone,tags\n+12025550142,x\n+12025550141,\n+12025550143,\n');
  symlinkSync(path, join(world.home, 'link.csv'));
  const words = ['--concurrency', '1', '-o', 'json'];
  const link = join(world.home, 'link.csv');
  const first = await world.run(['contacts', 'import', link, ...words, '--first', '2']);
  const second = await world.run(['contacts', 'import', path, ...words]);
  expect([JSON.parse(first.stdout), JSON.parse(second.stdout)]).toMatchObject([
    { not_reached: 1, files: { failed: join(world.home, 'link.failed.csv') } },
    { continues: true, not_reached: 0, sent: 1, failed: 1 },
  ]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

describe('a dry run of contacts import', () => {
  it('shows bad rows, repeated rows, and values that a spreadsheet may have damaged', async () => {
    const text =
      'phone,mobile,id\n+12025550141,x,7\n+12025550144,1.20256E+10,8\n+12025550141,x,7\n+12025550143,x,x\n12025550142,x,2.5E+11\n';
    const { code, stdout } = await importing(text, '--type', 'id=number', '--dry-run', '-o', 'table');
    expect([code, world.sandbox.requests()]).toEqual([10, []]);
    expect(stdout).toBe(
      [
        'the first body: {"phone":"+12025550141","mobile":"x","id":7}',
        '2 cannot be sent:',
        '  1 x id: "x" is not a number (line 5)',
        '  1 x phone: "12025550142" is not a phone number; --country intl reads it as +12025550142 (line 6)',
        '1 looks damaged, and is not repaired:',
        '  line 3: mobile: "1.20256E+10": a spreadsheet made it scientific notation, so digits are lost: format the column as text first',
        '1 row repeats an earlier row (line 4: the same as line 2)',
        'no plan is known, so requests are not paced; --rate limits them',
        '2 of 5 rows would be imported; nothing was imported',
        '',
      ].join('\n'),
    );
  });

  it('counts a damaged row once if it is repeated', async () => {
    const { stdout } = await importing(
      'phone,mobile\n+12025550141,1.2E+10\n+12025550141,1.2E+10\n',
      '--dry-run',
      '-o',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ suspect: 1, repeated: 1 });
  });

  it('does not report damage in a column that is not kept, or in numbers that are not phones', async () => {
    const text = 'phone,old,amount\n+12025550141,1.2E+10,12345678\n';
    const { code, stdout } = await importing(text, '--keep', 'amount', '--dry-run', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { type: 'rehearsal', ready: 1, suspect: 0 }]);
  });
});

describe('a damaged phone in contacts import', () => {
  const text = 'phone,name\n1.20256E+10,Ada\n+12025550\u0000141,Bo\n+12025550143,Cy\n';

  it.each([[[]], [['--dry-run', '-o', 'json']]])('makes a bad row: %j', async (words) => {
    const { code, stdout } = await importing(text, ...words);
    expect([code, world.sandbox.contacts().slice(5).length]).toEqual([10, words.length > 0 ? 0 : 1]);
    expect(stdout).toMatch(/1\.20256E\+10.{1,4} is not a phone number: a spreadsheet made it scientific notation/);
    expect(stdout).toMatch(/u0000141.{1,4} is not a phone number: it holds a NUL character/);
  });

  it('is noted and sent unchanged in other columns', async () => {
    const other = 'phone,mobile\n+12025550141,1.20256E+10\n+12025550142,+12025550\u0000141\n';
    const { code, stderr } = await importing(other);
    expect([code, world.sandbox.contacts().slice(5).length]).toEqual([0, 2]);
    expect(stderr).toContain(
      'note: 2 rows look damaged, and are not repaired; the first, on line 2: mobile: "1.20256E+10": a spreadsheet',
    );
    expect(stderr).toContain('--dry-run lists them');
  });

  it('fits on a screen in a dry run, whatever the number of bad rows', async () => {
    const bad = Array.from({ length: 3_000 }, (_, at) => `0151${10_000_000 + at},Ada\n`).join('');
    const { stdout } = await importing(
      `phone,name\n${bad}1.20256E+10,Bo\nx,Cy\n12025550141,Di\n+12025550143,Ed\n`,
      '--dry-run',
      '-o',
      'table',
    );
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(stdout).toContain(
      '3,003 cannot be sent:\n  3,000 x phone: "…" is not a phone number; --country reads national',
    );
    expect(lines.at(-1)).toBe('1 of 3,004 rows would be imported; nothing was imported');
  });
});

it('contacts import refuses a JSON row with a number that JSON cannot represent, and sends the others', async () => {
  const path = join(world.home, 'numbers.json');
  writeFileSync(path, '[{"phone":"+12025550141","score":1e400},{"phone":"+12025550142","score":1}]');
  const { code, stdout } = await world.run(['contacts', 'import', path]);
  expect([code, world.sandbox.contacts().slice(5).length]).toEqual([10, 1]);
  expect(stdout).toContain('the number 1e400 is too large');
});

it('recognizes rows of a job in another order, although their hotel is the same', async () => {
  const rows = ['Hilton,+12025550141', 'Hilton,+12025550142'];
  const words = ['--job', 'guests', '-o', 'json'];
  await importing(`hotel,phone\n${rows.join('\n')}\n`, ...words);
  const again = await importing(`hotel,phone\n${rows.reverse().join('\n')}\n`, ...words);
  expect(JSON.parse(again.stdout)).toMatchObject({ sent: 0, skipped: { this_run: 2 } });
});

it.each([[[]], [['--dry-run']]])('names the column of the phones if none has the usual name: %j', async (words) => {
  const { code, stderr } = await importing('hotel,workTel\nHilton,+12025550141\n', ...words);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('no column is named phone\n  name it: --map workTel=phone'),
  ]);
});

it('takes the column of the phones in any case', async () => {
  expect((await importing('PHONE,name\n+1 202 555 0141,Ada\n')).code).toBe(0);
  expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone: '+12025550141', name: 'Ada' });
});

it('reads national numbers with --country', async () => {
  expect((await importing('phone,name\n(202) 555-0141,Ada\n', '--country', 'US')).code).toBe(0);
  expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone: '+12025550141' });
});

it.each([[[]], [['--dry-run']]])('refuses a file without a byte: %j', async (words) => {
  expect(await importing('', ...words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('is empty'),
  });
});

it('notes letters that were read with the wrong encoding', async () => {
  const { stderr } = await importing('phone,name\n+12025550141,JÃ¼rgen\n');
  expect(stderr).toContain('name: "JÃ¼rgen": its letters were read with the wrong encoding');
});

it('notes that a file of failed rows is not needed once its rows were sent', async () => {
  await importing('phone\n+12025550141\n12\n');
  const failed = join(world.home, 'people.failed.csv');
  const before = await world.run(['contacts', 'import', failed]);
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(/^12,/m, '+12025550142,'));
  const { code, stderr } = await world.run(['contacts', 'import', failed]);
  expect([before.stderr.includes('not needed'), code]).toEqual([false, 0]);
  expect(stderr).toContain(`${failed} is not needed any more: all its rows are sent`);
});

it('names the same file of failed rows if another run has the same ones', async () => {
  const text = 'phone,name\n+12025550141,Ada\nfoo,Bar\n';
  const summaries = [await importing(text, '-o', 'json'), await importing(text, '-o', 'json')];
  const failed = summaries.map(({ stdout }): unknown => JSON.parse(stdout).files.failed);
  expect(failed).toEqual([join(world.home, 'people.failed.csv'), join(world.home, 'people.failed.csv')]);
  expect(readdirSync(world.home).filter((name) => name.includes('failed'))).toEqual(['people.failed.csv']);
});
