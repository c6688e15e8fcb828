import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startBin } from '../support/bin.ts';
import { alive, cli, type CliOptions } from '../support/cli.ts';
import { callerOf, newHome, openHostile } from '../support/fake-service.ts';
import { announced } from '../support/listeners.ts';
import { isLong } from '../support/long-tests.ts';
import { secret, signed } from './webhooks-rig.ts';

const phone = '+12025550141';
const other = '+12025550142';
const service = 'https://api.example.com';
const live = 'sk_live_0123456789abcdef';

function machine(env: Readonly<Record<string, string>> = callerOf(service), home = newHome()) {
  const run = (line: string, options: Partial<CliOptions> = {}) => cli(line.split(' '), { home, env, ...options });
  const listed = async () =>
    (await run('opt-outs list -o tsv --columns phone --no-header')).stdout.split('\n').slice(0, -1);
  return { home, run, listed };
}

describe('the opt-outs of an account', () => {
  it('are added and removed, in any notation, each once', async () => {
    const { run, listed } = machine();
    const added = await run(`opt-outs add (202)555-0141 ${phone} +1-202-555-0142`, { stdin: '' });
    expect([added.code, added.stderr]).toEqual([2, expect.stringContaining('"(202)555-0141" is not a phone number')]);
    for (const [line, said] of [
      [`add ${phone} +1-202-555-0141 ${other}`, 'Added 2 people to the opt-outs'],
      [`add ${phone}`, 'Added 0 people to the opt-outs; 1 person had opted out before'],
      [`remove ${other} +12025550143`, 'Removed 1 person from the opt-outs; 1 person had not opted out'],
    ])
      expect((await run(`opt-outs ${line}`)).stdout).toBe(`${said}\n`);
    expect(await listed()).toEqual([phone]);
  });

  it('are added from a list of any length', async () => {
    const { run, listed } = machine();
    expect((await run('opt-outs add -', { stdin: `${phone}\n`.repeat(200_000) })).stdout).toContain('Added 1 person');
    expect(await listed()).toEqual([phone]);
  });

  it('are known to all keys and profiles of the account, and to no other account', async () => {
    const { home, run } = machine();
    await run(`opt-outs add ${phone}`);
    expect(await machine(callerOf(service, live), home).listed()).toEqual([phone]);
    expect(await machine(callerOf('https://api.example.org'), home).listed()).toEqual([]);
  });

  it('are empty on a machine without a record, which stays so', async () => {
    const { home, run } = machine();
    expect((await run('opt-outs list', { terminal: 80 })).stdout).toBe('Nobody has opted out\n');
    expect(existsSync(join(home, '.local/state/bizmsg/ledger.db'))).toBe(false);
  });

  it.each(['csv', 'tsv', 'json', 'ndjson'])('can be added again from %s', async (format) => {
    const { run } = machine();
    await run(`opt-outs add ${phone} ${other}`);
    const { stdout } = await run(`opt-outs list -o ${format}`);
    const { run: runThere, listed } = machine();
    expect((await runThere('opt-outs add -', { stdin: stdout })).code).toBe(0);
    expect(await listed()).toEqual([phone, other]);
  });

  it('are read from a list on stdin, with national numbers of the profile', async () => {
    const { run, listed } = machine({});
    await run(`login --profile acme --base-url ${service} --no-check --key-stdin`, { stdin: live });
    await run('profiles set acme --country US');
    expect((await run('opt-outs add - --mode live', { stdin: '202 555 0141\r\n\n+1 202 555 0142\n' })).code).toBe(0);
    const { stdout } = await run('opt-outs list --mode live');
    expect(stdout).toMatch(/phone\tat\tword\n\+12025550141\t.*\n\+12025550142\t/);
    expect(await listed()).toEqual([]);
    expect((await run('opt-outs add - --mode live', { stdin: '\n' })).code).toBe(2);
  });
});

describe('a message to a person who has opted out', () => {
  async function optedOut(key: string) {
    const { home, url, seen } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const { run } = machine(callerOf(url, key), home);
    await run(`opt-outs add ${phone}`);
    return { run, seen };
  }

  const body = JSON.stringify({ to: '+1 (202) 555-0141', template: 'welcome', params: [] });
  const api = 'api /api/public/messages/send-template --input -';

  it.each([
    [`send-template ${phone} welcome`, live],
    [`send-template ${phone} welcome --again`, live],
    [`send-template ${phone} welcome`, 'sk_test_0123456789abcdef'],
    [api, live],
    [`${api} --again`, 'sk_test_0123456789abcdef'],
  ])('is refused: %s with %s', async (line, key) => {
    const { run, seen } = await optedOut(key);
    const { code, stderr } = await run(line, { stdin: body });
    expect([code, seen]).toEqual([11, []]);
    expect(stderr).toContain(`${phone} has opted out`);
    expect(stderr).toContain(`bizmsg opt-outs remove ${phone}\n`);
  });

  it('is refused with a hint for the profile that was named', async () => {
    const { run } = machine({});
    await run(`login --profile acme --base-url ${service} --no-check --key-stdin`, { stdin: live });
    await run(`opt-outs add ${phone} --profile acme --mode live`);
    const { code, stderr } = await run(`send-template ${phone} welcome --profile acme --mode live`);
    expect([code, stderr]).toEqual([11, expect.stringContaining(`remove ${phone} --profile acme --mode live\n`)]);
  });
});

interface ReplyOptions {
  readonly isSigned?: boolean;
  readonly from?: string;
  /** When it was written, and when it was signed. */
  readonly time?: number;
  readonly at?: number;
}

/** A listener of a profile with words of its own, and with its secret. */
async function listen(home = newHome()) {
  const words = 'webhooks listen --port 0 --opt-outs --profile acme';
  const started = machine({ BIZMSG_PROFILE: 'acme' }, home);
  if (!existsSync(join(home, '.config'))) {
    const login = `login --base-url ${service} --profile acme --no-check --key-stdin --no-input`;
    await cli(login.split(' '), { home, stdin: 'sk_test_0123456789abcdef' });
    await cli('profiles set acme --webhook-secret-stdin'.split(' '), { home, stdin: secret });
    await cli(['profiles', 'set', 'acme', '--opt-out-words', 'austragen,bitte nicht'], { home });
  }
  const over = new AbortController();
  onTestFinished(() => over.abort('SIGINT'));
  const { running, url } = await announced(home, () => cli(words.split(' '), { home, signal: over.signal }));
  return {
    ...started,
    async reply(text: string, { isSigned = true, from = phone, time, at }: ReplyOptions = {}) {
      const data = { to: '+12025550199', from, text };
      const body = JSON.stringify({ type: 'message.received', timestamp: time, data });
      const headers = isSigned ? Object.fromEntries(signed(body, at === undefined ? {} : { at })) : {};
      return (await fetch(url, { method: 'POST', headers, body })).status;
    },
    /** Ends the listener; resolves to what it printed. */
    async end() {
      over.abort('SIGINT');
      return running;
    },
  };
}

describe('webhooks listen --opt-outs', () => {
  it('adds who replies a word of the list or of the profile, before it answers', async () => {
    const { reply, run, end } = await listen();
    const words = ['STOP', ' Stopp!! ', 'Bitte STOP!', 'Austragen', 'Bitte nicht'];
    for (const [at, text] of words.entries()) {
      const from = `+1202555${1000 + at}`;
      expect(await reply(text, { from })).toBe(200);
      const optOuts = JSON.parse((await run('opt-outs list -o json')).stdout);
      expect(optOuts.at(-1)).toEqual({ phone: from, at: expect.stringMatching(/^\d{4}-.*Z$/), word: text.trim() });
    }
    const { stdout } = await end();
    expect(stdout).toMatch(/^Ready http:\S+; people who reply STOP in a signed event get no more messages \(press/);
    expect(stdout.match(/" opted out\n/g)).toHaveLength(words.length);
  });

  it('shows a reply that may be an opt-out, and the command that adds it', async () => {
    const { reply, listed, end } = await listen();
    await reply('Bitte keine Werbung mehr');
    expect(await listed()).toEqual([]);
    const { stdout, stderr } = await end();
    expect(stdout).toContain(`${phone}  "Bitte keine Werbung mehr"\n`);
    const command = `bizmsg opt-outs add ${phone} --profile acme`;
    expect(stderr).toContain(`"Bitte keine Werbung mehr" may be an opt-out; ${command} adds it\n`);
  });

  it('removes who replies START', async () => {
    const { reply, listed, end } = await listen();
    await reply('STOP');
    await reply('STOP', { from: other });
    await reply('Start');
    expect(await listed()).toEqual([other]);
    expect((await end()).stdout).toContain(`${phone}  "Start" opted in\n`);
  });

  it('ignores what is not signed', async () => {
    const { reply, listed } = await listen();
    await reply('STOP', { isSigned: false });
    expect(await listed()).toEqual([]);
    await reply('STOP');
    await reply('START', { isSigned: false });
    expect(await listed()).toEqual([phone]);
  });

  it.each<[string, (ago: number) => ReplyOptions]>([
    ['was written', (ago) => ({ time: Date.now() - ago })],
    ['was signed', (ago) => ({ at: Date.now() - ago })],
  ])('ignores a START that %s before the last STOP', async (_, before) => {
    const { reply, listed } = await listen();
    await reply('STOP', before(90_000));
    await reply('STOP', before(30_000));
    await reply('START', before(60_000));
    expect(await listed()).toEqual([phone]);
    await reply('START', before(10_000));
    expect(await listed()).toEqual([]);
  });

  it('takes any event if no secret is known, and notes it', async () => {
    const { home, listed } = machine();
    const over = new AbortController();
    const words = 'webhooks listen --port 0 --opt-outs'.split(' ');
    const options = { home, env: callerOf(service), signal: over.signal };
    const { running, url } = await announced(home, () => cli(words, options));
    const body = (text: string) => JSON.stringify({ type: 'message.received', data: { from: phone, text } });
    for (const text of ['STOP', 'START']) await fetch(url, { method: 'POST', body: body(text) });
    over.abort('SIGINT');
    const { stdout, stderr } = await running;
    expect(stdout).toContain('also by unsigned events: no secret is known');
    expect(stderr).toContain(`"START" from ${phone} is not correctly signed, so it does not count`);
    expect(await listed()).toEqual([phone]);
  });

  it('needs an account', async () => {
    const { code, stderr } = await machine({}).run('webhooks listen --port 0 --opt-outs');
    expect([code, stderr]).toEqual([3, expect.stringContaining('no profile is in use')]);
  });

  it('loses nothing beside another listener', async () => {
    const home = newHome();
    const [first, second] = [await listen(home), await listen(home)];
    const numbers = Array.from({ length: 40 }, (_, at) => `+1202555${1000 + at}`);
    await Promise.all(numbers.map((from, at) => (at % 2 === 0 ? first : second).reply('STOP', { from })));
    expect((await first.listed()).toSorted()).toEqual(numbers);
  });

  it.each(isLong ? Array.from({ length: 8 }, (_, at) => [at * 4]) : [[10]])(
    'has every reply that was acknowledged before kill -9, after %i of them',
    async (most) => {
      const { home, listed } = machine();
      const words = ['webhooks', 'listen', '--port', '0', '--opt-outs'];
      const { running, url } = await announced(home, () => startBin(words, { home, env: callerOf(service) }));
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
      expect(await listed()).toEqual(expect.arrayContaining(acknowledged));
    },
  );

  it('does not acknowledge a reply that it cannot keep', async () => {
    const { home, reply, end } = await listen();
    const file = join(home, '.local/state/bizmsg/ledger.db');
    rmSync(file);
    writeFileSync(file, '');
    expect(await reply('STOP')).toBe(500);
    expect((await end()).stderr).toContain('was removed or replaced');
  });

  it('answers the next reply after one from a long number', async () => {
    const { reply, listed } = await listen();
    expect(await reply('STOP', { isSigned: false, from: `+${'9'.repeat(400_000)}` })).toBe(200);
    expect(await reply('STOP')).toBe(200);
    expect(await listed()).toEqual([phone]);
  });
});
