import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadPort, serve } from '../client/servers.ts';
import { bin, temporaryHome } from '../support/bin.ts';
import { cli, type CliOptions, type Ran } from '../support/cli.ts';
import { commands, type Named } from '../support/commands.ts';
import { conversation } from '../support/conversation.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { isLong } from '../support/long-tests.ts';
import { serveLocal } from '../support/local.ts';
import { newWorld } from '../support/world.ts';
import { storeText } from '../commands/profile-store.ts';
import { signed } from '../commands/webhooks-rig.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';

const testKey = 'sk_test_4f9Qm2ZpL8xVt3HdXk7R';
const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const bareKey = 'Zt5hWq8LpXc2Vn9BdK4m';
const wrong = 'sk_test_local-Qx8Wd3Nf6Ks1Vb5M';
const oddKey = 'Gy7"Tr\\4&Pw<1,Hs6%Jz';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const teamPassword = 'Vb7Qy2Hk9Zd4Lw';
const stored = [testKey, liveKey, bareKey, secret, teamPassword];

/** Fails if a part of a secret appears that is longer than the part printed on purpose. */
function leaks(text: string, secrets: readonly string[]): readonly string[] {
  const parts = secrets.flatMap((secret) => {
    const body = secret.replace(/^(sk_(test|live)_(local-)?|whsec_)/, '');
    return Array.from({ length: body.length - 5 }, (_, at) => body.slice(at, at + 6));
  });
  return parts.filter((part) => text.includes(part));
}

const rowFolder = temporaryHome();
afterAll(() => rowFolder.remove());
const [rowFile, keyColumn] = [join(rowFolder.path, 'row.csv'), join(rowFolder.path, 'column.csv')];
writeFileSync(rowFile, 'phone,name\n+12025550142,Ada\n');
writeFileSync(keyColumn, `phone,${liveKey}\n+12025550142,Ada\n`);
const limits = '--batch row --at-most 1';

/** Commands with the words that follow. */
type Cases = Readonly<Record<string, readonly string[]>>;

const calls: Cases = {
  'send-template': ['welcome', 'none_such', 'welcome --wait --within 1ms'].map((line) => `+12025550101 ${line}`),
  'contacts list': ['', '--all', '--limit 1'],
  'contacts create': ['--set phone=+12025550142', '--set name=Ada'],
  'templates list': [''],
  'templates show': ['order_update', 'none_such'],
  'campaigns list': [''],
  'contacts export': [''],
  'contacts import': [`${rowFile} ${limits}`, rowFile],
  'send-batch': [`welcome ${rowFile} --again ${limits}`, `none_such ${rowFile}`],
  doctor: [''],
  api: ['/api/public/contacts -i', '/api/public/flows', '/api/public/contacts -f a=b'],
};

const other = 'https://other.example.com';

const atHome: Cases = {
  whoami: ['', '--profile acme', '--profile acme --mode live'],
  'keys switch-mode': ['live --profile acme --yes', 'live --profile acme', 'sandbox --profile acme'],
  'profiles set': [
    'acme --plan scale',
    'acme --webhook-secret-stdin',
    `acme --base-url ${other} --yes`,
    `acme --base-url ${other}`,
  ],
  'profiles list': [''],
  logout: ['acme --live --yes', 'acme --live', 'acme --yes', 'acme', 'none'],
  login: [
    '--profile gamma --base-url http://127.0.0.1:9 --key-stdin --retries 0',
    '--profile acme --no-check --key-stdin',
    `--profile delta --no-check --key-stdin --base-url ${other}`,
  ],
  completion: ['bash', 'zsh', 'fish'],
  help: ['', 'exit-codes', 'environment', 'contacts list'],
  'opt-outs list': [''],
  'opt-outs add': ['+12025550101'],
  'opt-outs remove': ['+12025550101'],
  'team join': ['--url-stdin --profile acme'],
  'team status': ['--profile acme'],
  'team leave': ['--profile acme --yes', '--profile acme'],
  'sandbox status': [''],
  'sandbox open': ['--print', '--url http://127.0.0.1:9'],
};

/** Commands about the events that a listener received. */
const ofEvents: Cases = {
  'webhooks list': ['', '--failed', '--clear --yes', '--clear'],
  'webhooks show': ['', 'none', '--raw -'],
  'webhooks verify': ['', '--secret-stdin', '--profile acme --at 1', '--file -', '--secret-file none'],
  'webhooks replay': ['e --to 9', 'e --to 9 --resign --secret-stdin', '--since 1h', 'none'],
};

/** Commands that control the sandbox of --profile local. */
const controls: Cases = {
  'sandbox set': [
    '',
    'key=new key=live live=on',
    `key=revoke:${wrong}`,
    'plan=starter rate=20/s',
    'secret=new',
    'webhook=9/hooks --catch-up',
    'webhook=-none',
    `webhook=http://user:${wrong}@127.0.0.1:9`,
  ],
  'sandbox clock': ['', 'freeze', '+1s', 'real', 'none'],
  'sandbox fault': ['', 'contacts-list=hang --times 1', 'none=hang', 'clear', 'clear none'],
  'sandbox log': ['', 'none', 'key_none', '--type messages --limit 1', '--redeliver none', '--redeliver failed'],
  'sandbox trigger': ['message.received', 'message.read --to +12025550101', 'none'],
  'sandbox reset': ['logs', 'all', ''],
  'sandbox seed': ['-', 'none.json'],
};

const stdins: Readonly<Record<string, string>> = {
  login: testKey,
  'team join': `postgres://u:${teamPassword}@127.0.0.1:9/team`,
  'sandbox seed': `{"contacts":[{"phone":"${secret}"}]}`,
};

/** Commands with their own tests below. */
const apart = ['sandbox start', 'sandbox stop', 'sandbox exec', 'sandbox env', 'webhooks listen', 'webhooks expect'];
const ofBatches = ['list', 'show', 'report', 'resume', 'mark', 'cancel', 'delete'].map((verb) => `batches ${verb}`);

it('covers every command', () => {
  const cases = [calls, atHome, controls, ofEvents].flatMap((all) => Object.keys(all));
  const covered = [...cases, ...apart, ...ofBatches, 'history'];
  expect(commands.map(({ name }) => name).sort()).toEqual(covered.sort());
});

/** Named cases, with the command and its stdin. */
const withCase = (cases: Cases) =>
  commands.flatMap((named) => {
    const lines = cases[named.name];
    return lines ? [{ name: named.name, named, lines, stdin: stdins[named.name] ?? secret }] : [];
  });

type Look = (argv: readonly string[], options: CliOptions) => Promise<Ran>;

/** In a pipe, with the trace, and with the trace on a terminal. */
const looks: readonly Look[] = [
  (argv, options) => cli(argv, options),
  (argv, options) => cli([...argv, '--debug'], options),
  (argv, options) => cli([...argv, '--debug'], { ...options, terminal: 60 }),
];
const formats = [[], ['-o', 'json'], ['-o', 'csv']] as const;

type Caller = () => CliOptions;

/** Runs the lines of a command as each caller. Looks take turns, and so do formats, of which the long form tries all. */
async function shown(
  { name, command }: Named,
  lines: readonly string[],
  callers: readonly Caller[],
  secrets: () => readonly string[],
) {
  const printed = command.accepts.includes('output') ? formats : [[]];
  const dry = command.accepts.includes('dryRun') ? ['', ' --dry-run'] : [''];
  const all = { text: '', leaks: Array<object>() };
  for (const [turn, line] of lines.flatMap((words) => dry.map((more) => `${name} ${words}${more}`)).entries())
    for (const [number, caller] of callers.entries())
      for (const form of isLong ? printed : [printed[(turn + number) % printed.length] ?? []]) {
        const argv = [...line.trim().split(/ +/), ...form];
        const text = printedBy([await (looks[(2 * turn + number) % looks.length] ?? cli)(argv, caller())]);
        const parts = leaks(text, secrets());
        all.text += text;
        if (parts.length > 0) all.leaks.push({ argv, parts });
      }
  return all;
}

const printedBy = (ran: readonly Ran[]) => ran.map(({ stdout, stderr }) => stdout + stderr).join('\n');

const acme = {
  baseUrl: 'https://api.example.com',
  mode: 'sandbox',
  keys: { sandbox: testKey, live: liveKey },
  webhookSecret: secret,
  team: `postgres://u:${teamPassword}@127.0.0.1:9/team`,
};
const storeOfAcme = JSON.stringify({ version: 1, current: 'acme', profiles: { acme } });

function profileHome(): string {
  const home = newHome();
  storeText(home, storeOfAcme);
  return home;
}

function damagedHome(): string {
  const home = newHome();
  storeText(home, storeOfAcme.slice(0, -3));
  return home;
}

describe('no secret is printed by', () => {
  it.each(withCase(calls))('$name, calling a sandbox', async ({ named, lines }) => {
    const { sandbox, home, env } = await newWorld();
    sandbox.keys.goLive();
    const { sandbox: key, live } = sandbox.keys;
    const callers = [live, key, wrong].map((apiKey) => () => ({ home, env: { ...env, BIZMSG_API_KEY: apiKey } }));
    const secrets = () => [key, live, sandbox.secret(), wrong];
    const text = expect.stringContaining('LIVE');
    expect(await shown(named, lines, callers, secrets)).toEqual({ text, leaks: [] });
  });

  it.each(withCase(atHome))('$name, with keys in the store and in the environment', async ({ named, lines, stdin }) => {
    const environments = [
      {},
      callerOf('https://api.example.com', bareKey),
      callerOf('http://api.example.com', liveKey),
      { BIZMSG_API_KEY: liveKey, BIZMSG_PROFILE: 'acme' },
      { BIZMSG_API_KEY: oddKey },
    ];
    const callers: Caller[] = environments.map((env) => () => ({ home: profileHome(), stdin, env }));
    callers.push(() => ({ home: damagedHome(), stdin }));
    expect((await shown(named, lines, callers, () => [...stored, oddKey])).leaks).toEqual([]);
  });

  it.each(withCase(ofEvents))('$name, with a received event', async ({ named, lines, stdin }) => {
    const home = profileHome();
    const journal = await logsIn(join(home, '.local/state/bizmsg'));
    await journal.received(delivery('{}', { headers: signed('{}', { at: 0 }) }));
    const callers: readonly Caller[] = [
      () => ({ home, stdin }),
      () => ({ home, stdin, env: { BIZMSG_WEBHOOK_SECRET: secret } }),
      () => ({ home, stdin, env: { BIZMSG_WEBHOOK_SECRET: `${secret} ${secret}` } }),
    ];
    expect((await shown(named, lines, callers, () => stored)).leaks).toEqual([]);
  });

  it.each(withCase(controls))('$name, but the key that it creates', async ({ named, lines, stdin }) => {
    const home = newHome();
    const sandbox = await serveLocal(home);
    for (const key of [sandbox.keys.sandbox, wrong]) {
      const headers = { authorization: `Bearer ${key}` };
      await sandbox.answer({ method: 'GET', target: `/api/public/contacts?key=${key}`, headers, body: '' });
    }
    const secrets = () => [sandbox.keys.sandbox, sandbox.keys.live, sandbox.secret(), wrong, secret];
    expect((await shown(named, lines, [() => ({ home, stdin })], secrets)).leaks).toEqual([]);
  });
});

type Echo = (response: ServerResponse, key: string) => void;

const json = (key: string) =>
  JSON.stringify({
    message: `no: Bearer ${key}`,
    error: { [key]: key },
    data: [{ id: key, name: `x ${key} y` }],
    message_id: key,
  });

const echoes: Readonly<Record<string, Echo>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 418, 429, 500, 503].map((status): [string, Echo] => [
      `${status} with JSON`,
      // Longer than any run waits.
      (response, key) => response.writeHead(status, { 'Retry-After': '3600' }).end(json(key)),
    ]),
  ),
  '500 with a long text': (response, key) => response.writeHead(500).end(`${'.'.repeat(4_090)}${key}${key}`),
  '400 with a short message that is cut': (response, key) =>
    response.writeHead(400).end(JSON.stringify({ message: `${'.'.repeat(190)}${key}` })),
  '200 with JSON': (response, key) => response.end(json(key)),
  '200 with HTML': (response, key) => response.end(`<html>${key}</html>`),
  '200 with text and a header': (response, key) =>
    response
      .writeHead(200, { 'X-Seen': `Bearer ${key}`, Link: `<https://x.example/?${key}>; rel="next"` })
      .end(`"${key}"`),
  'a redirect': (response, key) =>
    response.writeHead(302, { Location: `https://x.example/?key=${encodeURIComponent(key)}` }).end(key),
  'a broken answer': (response, key) => {
    response.writeHead(200, { 'Content-Length': '400' }).write(key);
    response.socket?.end();
  },
};

function textsIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'profiles.json')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

describe('no key is printed if the service responds with', () => {
  // Errors are the same in all formats except these.
  const lines = Object.entries(calls).flatMap(([name, [words]]) => [`${name} ${words}`, `${name} ${words} -o json`]);
  const keys = [testKey, bareKey, oddKey];

  async function leaksOf(urlFor: (key: string) => Promise<string>, wanted: readonly string[]) {
    const urls = await Promise.all(keys.map(urlFor));
    const all: object[] = [];
    for (const [at, line] of wanted.entries()) {
      const key = keys[at % keys.length] ?? '';
      const argv = [...line.trim().split(/ +/), '--retries', '0'];
      // After a 429, another batch of the same home would wait.
      const options = { home: newHome(), env: callerOf(urls[at % keys.length] ?? '', key) };
      const parts = leaks(printedBy([await (looks[(2 * at) % looks.length] ?? cli)(argv, options)]), [key]);
      if (parts.length > 0) all.push({ argv, parts });
    }
    return all;
  }

  it.each(Object.entries(echoes))('%s that repeats it', async (_, echo) => {
    const urlFor = async (key: string) => (await serve((__, ___, response) => echo(response, key))).url;
    expect(await leaksOf(urlFor, lines)).toEqual([]);
  });

  it('no response, because the service is unreachable', async () => {
    // A batch would wait for it.
    const calling = lines.filter((line) => !line.includes(rowFile));
    expect(await leaksOf(async () => `http://127.0.0.1:${await deadPort()}`, calling)).toEqual([]);
  });

  it.each(['400 with JSON', '500 with a long text', '200 with HTML'])('%s, nor stored by a batch', async (name) => {
    const service = await serve((_, __, response) => echoes[name]?.(response, oddKey));
    const home = newHome();
    const env = callerOf(service.url, oddKey);
    const run = (line: string) => cli(line.split(' '), { home, env });
    const ran = [await run(`contacts import ${rowFile} ${limits}`)];
    for (const line of ['batches list', 'batches show row', 'batches report row', 'batches show none', 'history'])
      for (const form of formats) ran.push(await run([line, ...form].join(' ')));
    const kept = textsIn(home);
    expect([ran[0]?.code, kept.some((text) => text.includes('+12025550142'))]).toEqual([10, true]);
    for (const line of ['resume row', 'mark row --sent', 'cancel row', 'delete row --yes'])
      ran.push(await run(`batches ${line}`));
    expect(leaks([printedBy(ran), ...kept].join('\n'), [oddKey])).toEqual([]);
  });
});

describe('a batch with a key', () => {
  /** A machine with keys in its profiles, and what was sent, stored and printed. */
  async function seenOf(argv: readonly string[], { keyboard }: Pick<CliOptions, 'keyboard'> = {}) {
    const service = await serve((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const home = profileHome();
    const env = callerOf(service.url, testKey);
    const options = { home, env, ...(keyboard && { keyboard, terminal: 80 }) };
    const ran = [await cli(['send-batch', 'welcome', ...argv, '--batch', 'row'], options)];
    for (const line of ['report row', 'show row', 'list'])
      ran.push(await cli(['batches', ...line.split(' ')], { home, env }));
    const bodies = service.seen.map(({ body }) => body);
    const kept = textsIn(home);
    return { bodies, code: ran[0]?.code, leaked: leaks([printedBy(ran), ...bodies, ...kept].join('\n'), stored), ran };
  }

  it.each([
    ['a param', `phone,name\n+12025550142,${liveKey}\n+12025550143,Ada\n`, 'name'],
    ['a column that is not sent', `phone,name,note\n+12025550142,Ada,"my ${liveKey}"\n+12025550143,Ada,\n`, 'note'],
    ['its phone', `phone,name\n${liveKey},Ada\n+12025550143,Ada\n`, 'phone'],
    [
      'a cell, of another profile and without a prefix',
      `phone,name\n+12025550142,${secret}\n+12025550143,Ada\n`,
      'name',
    ],
    [
      'JSON',
      JSON.stringify([
        { phone: '+12025550142', name: 'A', a: { b: liveKey } },
        { phone: '+12025550143', name: 'A' },
      ]),
      'a',
    ],
  ])('in %s fails that row, and sends and stores no part of it', async (_, content, column) => {
    const file = join(rowFolder.path, 'keys.csv');
    writeFileSync(file, content);
    const { bodies, code, leaked, ran } = await seenOf([file, '-p', ':name']);
    expect([code, leaked, bodies.filter((body) => body !== '')]).toEqual([
      10,
      [],
      [expect.stringContaining('+12025550143')],
    ]);
    expect(ran[0]?.stdout).toContain(`${column}: it contains something that looks like a key`);
  });

  it.each([
    ['in the name of a column', [keyColumn]],
    ['in a condition', [rowFile, '--where', `name=${secret}`]],
  ])('%s is refused', async (_, argv) => {
    const { bodies, code, leaked } = await seenOf(argv);
    expect([code, leaked, bodies.filter((body) => body !== '')]).toEqual([2, [], []]);
  });

  it('shows none of it in a question, and refuses it as an answer', async () => {
    const file = join(rowFolder.path, 'asked.csv');
    writeFileSync(file, `Handy,name\n+12025550142,${secret}\n`);
    const { keyboard, shown } = conversation([[/Which one has them/, '']]);
    const { leaked } = await seenOf([file, '-p', ':name'], { keyboard });
    expect([leaked, leaks(shown(), stored), shown()]).toEqual([[], [], expect.stringContaining('name · …')]);
  });
});

describe('a sandbox in the background', () => {
  const home = temporaryHome();
  const env = { ...callerOf('https://api.example.com', liveKey), BIZMSG_WEBHOOK_SECRET: secret };
  const run = (...argv: readonly string[]) => bin(argv, { home: home.path, env });
  let keys: readonly string[] = [];
  let pid = 0;

  beforeAll(async () => {
    await run('sandbox', 'start', '--background', '--port', '0');
    keys = Object.values(JSON.parse((await run('sandbox', 'env', '-o', 'json')).stdout))
      .map(String)
      .filter((value) => !value.startsWith('http'));
    [{ pid }] = JSON.parse((await run('sandbox', 'status', '-o', 'json')).stdout);
  });
  afterAll(async () => {
    await run('sandbox', 'stop');
    home.remove();
  });

  it('prints its keys only with sandbox env, on stdout', async () => {
    const { code, stdout, stderr } = await run('sandbox', 'env', '--debug');
    expect([code, leaks(stderr, keys)]).toEqual([0, []]);
    expect(keys.filter((key) => stdout.includes(key))).toEqual(keys);
    expect(keys).toHaveLength(2);
    expect(leaks(stdout, [liveKey])).toEqual([]);
  });

  it.each([
    ['sandbox status --debug', 0],
    ['sandbox status -o json', 0],
    ['sandbox start --background', 3],
    ['sandbox start --background --port 0 --debug', 0],
    ['sandbox start --ephemeral --port 0 --idle 50ms --debug', 0],
    ['send-template +12025550101 welcome --profile local --debug', 0],
    ['whoami --profile local', 0],
    ['sandbox exec --debug -- bizmsg contacts list --debug', 0],
    ['webhooks expect order.paid --debug --profile local --within 30s -- bizmsg sandbox trigger order.paid', 0],
    ['webhooks expect order.paid --debug --profile local --within 1ms -- bizmsg whoami', 13],
  ])('prints no key with %s', async (line, code) => {
    const ran = await run(...line.split(' '));
    expect([ran.code, leaks(printedBy([ran]), [...keys, liveKey, secret])]).toEqual([code, []]);
    expect(printedBy([ran])).not.toMatch(/local-\w{6}|whsec_\w{6}/);
  });

  it.runIf(existsSync('/proc/self/environ'))('has no key in its command line, its environment and its log', () => {
    const files = [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`, join(home.path, '.local/state/bizmsg/sandbox.log')];
    const seen = files.map((file) => readFileSync(file, 'utf8')).join('\0');
    expect(seen).toContain('sandbox\0start');
    expect(leaks(seen, [...keys, liveKey, secret])).toEqual([]);
  });
});
