import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startBin } from '../support/bin.ts';
import { alive, cli } from '../support/cli.ts';
import { callerOf, newHome, openHostile } from '../support/fake-service.ts';
import { announced } from '../support/listeners.ts';
import { isLong, some } from '../support/long-tests.ts';
import { asRoot, canMount, mount } from '../support/small-disk.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { secret, signed } from './webhooks-rig.ts';

const header = 'phone,time,word\n';
const phone = '+12025550141';

interface Listening {
  readonly file: string;
  readonly home: string;
  reply(text: string, options?: { readonly isSigned?: boolean; readonly from?: string }): Promise<number>;
  /** The phones on the list. */
  phones(): readonly string[];
  /** Ends the listener; returns its stderr. */
  end(): Promise<string>;
}

async function profile(home: string, url: string, ...settings: readonly string[]): Promise<void> {
  const words = ['--base-url', url, '--profile', 'acme', '--no-check', '--key-stdin', '--no-input'];
  await cli(['login', ...words], { home, stdin: 'sk_test_0123456789abcdef' });
  await cli(['profiles', 'set', 'acme', '--webhook-secret-stdin'], { home, stdin: secret });
  if (settings.length === 0) return;
  const { code, stderr } = await cli(['profiles', 'set', 'acme', ...settings], { home });
  expect([code, stderr]).toEqual([0, '']);
}

/** A listener of a profile whose own word is ABMELDEN. */
async function listen(home = newHome(), file = join(home, 'optout.csv')): Promise<Listening> {
  if (!existsSync(join(home, '.config')))
    await profile(home, 'https://api.example.com', '--opt-out-words', 'abmelden,bitte nicht');
  const over = new AbortController();
  onTestFinished(() => over.abort('SIGINT'));
  const words = ['webhooks', 'listen', '--port', '0', '--opt-out', file, '--profile', 'acme'];
  const { running, url } = await announced(home, () => cli(words, { home, signal: over.signal }));
  return {
    file,
    home,
    async reply(text, { isSigned = true, from = phone } = {}) {
      const body = JSON.stringify({ type: 'message.received', data: { to: '+12025550199', from, text } });
      const headers = isSigned ? Object.fromEntries(signed(body)) : {};
      return (await fetch(url, { method: 'POST', headers, body })).status;
    },
    phones: () => phonesIn(file),
    async end() {
      over.abort('SIGINT');
      return (await running).stderr;
    },
  };
}

function phonesIn(file: string): readonly string[] {
  const [first, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(`${first}\n`).toBe(header);
  return rows.map((row) => row.split(',')[0] ?? '');
}

it.each(
  some([
    ['STOP'],
    ['stop.'],
    [' Stopp!! '],
    ['Opt out'],
    ['ｕｎｓｕｂｓｃｒｉｂｅ'],
    ['*Stop* 🙏'],
    ['“STOP”'],
    ['🛑\ufe0f STOP'],
    ['Abmelden'],
    ['Bitte nicht'],
    ['S\u200bTOP'],
  ]),
)('puts who replies %j on the list', async (text) => {
  const { reply, file, end } = await listen();
  expect(await reply(text)).toBe(200);
  expect(readFileSync(file, 'utf8')).toMatch(/^phone,time,word\n\+12025550141,\d{4}-[^,]+Z,[A-Z]+\n$/);
  expect(modeOf(file)).toBe(ownFile);
  expect(await end()).toMatch(/note: \+12025550141 replied [A-Z]+ and is in .*optout\.csv now/);
});

it.each([['CANCEL'], ['QUIT'], ['please stop'], ['STOP the noise'], ['START'], ['']])('ignores %j', async (text) => {
  const { reply, phones } = await listen();
  await reply(text);
  expect(phones()).toEqual([]);
});

it('keeps the first reply of a person, whose number may lack its plus', async () => {
  const { reply, phones } = await listen();
  await reply('STOP');
  await reply('stop', { from: '12025550141' });
  expect(phones()).toEqual([phone]);
});

it('removes who replies START, in a signed event only', async () => {
  const { reply, phones, end } = await listen();
  await reply('STOP', { isSigned: false });
  await reply('STOP', { from: '+12025550142' });
  await reply('Start', { isSigned: false });
  expect(phones()).toEqual([phone, '+12025550142']);
  await reply('Start');
  expect(phones()).toEqual(['+12025550142']);
  expect(await end()).toContain('START from +12025550141 is not signed, so nothing is changed');
});

it('loses nothing with two listeners together', async () => {
  const home = newHome();
  const [one, other] = [await listen(home), await listen(home)];
  const numbers = Array.from({ length: 40 }, (_, at) => `+1202555${1000 + at}`);
  await Promise.all(numbers.map((from, at) => (at % 2 === 0 ? one : other).reply('STOP', { from })));
  expect(one.phones().toSorted()).toEqual(numbers);
  expect(readdirSync(home).filter((name) => name.startsWith('.') && /optout|\.new/.test(name))).toEqual([]);
});

it.each(isLong ? Array.from({ length: 8 }, (_, at) => [at * 4]) : [[10]])(
  'has every reply that was acknowledged before kill -9, after %i of them',
  async (most) => {
    const home = newHome();
    const file = join(home, 'optout.csv');
    const words = ['webhooks', 'listen', '--port', '0', '--opt-out', file];
    const env = callerOf('https://api.example.com');
    const { running, url } = await announced(home, () => startBin(words, { home, env }));
    const { pid, ended } = running;
    const acknowledged: string[] = [];
    const send = async (from: string) => {
      const body = JSON.stringify({ type: 'message.received', data: { from, text: 'STOP' } });
      const sent = await fetch(url, { method: 'POST', body }).catch(() => undefined);
      if (sent?.status === 200) acknowledged.push(from);
      if (acknowledged.length >= most) alive(pid, 'SIGKILL');
    };
    await Promise.all(Array.from({ length: 40 }, async (_, at) => send(`+1202555${1000 + at}`)));
    await ended;
    expect(phonesIn(file)).toEqual(expect.arrayContaining(acknowledged));
    // A list that a dead listener was writing stays usable.
    const { reply, phones } = await listen(home, file);
    await reply('STOP');
    expect(phones()).toContain(phone);
  },
);

it('does not acknowledge a reply that it cannot keep', async () => {
  const { reply, file, end } = await listen();
  writeFileSync(file, 'something else\n');
  expect(await reply('STOP')).toBe(500);
  expect(await end()).toContain('is not a list of opt-outs');
});

it('answers the next reply after a long one', async () => {
  const { reply, phones } = await listen();
  expect(await reply(`${'!'.repeat(400_000)}a`)).toBe(200);
  expect(await reply('STOP')).toBe(200);
  expect(phones()).toEqual([phone]);
});

it.skipIf(!canMount())('keeps the whole list on a disk that has room for a part of it', async () => {
  const home = newHome();
  const [disk, rows] = [join(home, 'disk'), '+12025550142,2026-05-01T12:00:00.000Z,STOP\n'.repeat(230)];
  mkdirSync(disk);
  mount(disk, 'mode=700,size=32k');
  onTestFinished(() => asRoot('umount', '-l', disk));
  writeFileSync(join(disk, 'optout.csv'), header + rows);
  writeFileSync(join(disk, 'filling'), Buffer.alloc(8_192));
  const { reply, file, end } = await listen(home, join(disk, 'optout.csv'));
  expect(await reply('STOP')).toBe(500);
  expect(readFileSync(file, 'utf8')).toBe(header + rows);
  expect(await end()).toContain('the disk is full');
});

it('refuses a file that is another list, and says what to do', async () => {
  const home = newHome();
  writeFileSync(join(home, 'never.txt'), '+12025550141\n');
  const words = ['webhooks', 'listen', '--port', '0', '--opt-out', join(home, 'never.txt')];
  const { code, stderr } = await cli(words, { home, env: callerOf('https://api.example.com') });
  expect([code, stderr]).toEqual([2, expect.stringContaining('keep this one with --exclude-from')]);
});

it('shows before a batch how many have opted out, and when the last one did', async () => {
  const home = newHome();
  const [file, people] = [join(home, 'optout.csv'), join(home, 'people.csv')];
  writeFileSync(people, 'phone\n+12025550141\n+12025550142\n');
  const service = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  await profile(home, service.url, '--opt-out', file);
  const words = ['send-batch', 'welcome', people, '--profile', 'acme', '--dry-run'];
  expect((await cli(words, { home })).stderr).toContain('--exclude-from optout.csv; 0 opt-outs\n');
  writeFileSync(
    file,
    `${header}+12025550142,2026-05-01T12:00:00.000Z,STOP\n+12025550149,2026-04-01T12:00:00.000Z,STOP\n`,
  );
  const { stderr } = await cli(words, { home, env: { TZ: 'UTC' } });
  expect(stderr).toMatch(/; 2 opt-outs, the last at 2026-05-01 \d\d:\d\d \S+\n/);
});

it('stops a running batch from sending to who opts out meanwhile', async () => {
  const home = newHome();
  const [file, people] = [join(home, 'optout.csv'), join(home, 'people.csv')];
  writeFileSync(file, header);
  writeFileSync(people, 'phone\n+12025550141\n+12025550142\n+12025550143\n');
  const service = await openHostile(({ method }, _, response) => {
    if (method === 'POST') writeFileSync(file, `${header}+12025550142,2026-05-01T12:00:00.000Z,STOP\n`);
    response.end('{"message_id":"msg_1"}');
  });
  await profile(home, service.url, '--opt-out', file);
  const words = ['send-batch', 'welcome', people, '--concurrency', '1', '-o', 'json', '--profile', 'acme'];
  const { code, stdout } = await cli(words, { home });
  const result = JSON.parse(stdout);
  expect([code, result]).toEqual([
    0,
    expect.objectContaining({ sent: 2, skipped: expect.objectContaining({ excluded: 1 }) }),
  ]);
  const posts = service.seen.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).to);
  expect(posts).toEqual(['+12025550141', '+12025550143']);
  const shown = await cli(['runs', 'show', result.run], { home });
  expect(shown.stdout).toMatch(/\n\+12025550142\t3\texcluded\t.*\texcluded during the run\t/);
  const listed = await cli(['runs', 'list', '-o', 'json'], { home });
  expect(JSON.parse(listed.stdout)[0]).toMatchObject({ state: 'finished' });
});

it('stops a running batch if the list cannot be read any more', async () => {
  const home = newHome();
  const [file, people] = [join(home, 'optout.csv'), join(home, 'people.csv')];
  writeFileSync(file, header);
  writeFileSync(people, 'phone\n+12025550141\n+12025550142\n');
  const service = await openHostile((_, __, response) => {
    if (existsSync(file)) writeFileSync(file, '');
    response.end('{"message_id":"msg_1"}');
  });
  await profile(home, service.url, '--opt-out', file);
  const words = ['send-batch', 'welcome', people, '--concurrency', '1', '--profile', 'acme'];
  const { code, stderr } = await cli(words, { home });
  expect([code, stderr]).toEqual([3, expect.stringContaining('is empty')]);
});

it('refuses a single message to who opted out', async () => {
  const home = newHome();
  const file = join(home, 'optout.csv');
  const service = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
  await profile(home, service.url, '--opt-out', file);
  writeFileSync(file, `${header}${phone},2026-05-01T12:00:00.000Z,STOP\n`);
  const { code, stderr } = await cli(['send-template', phone, 'welcome', '--profile', 'acme'], { home });
  expect([code, stderr, service.seen]).toEqual([
    11,
    expect.stringContaining('+12025550141 has opted out and is in'),
    [],
  ]);
});
