import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isRecord } from '../../src/contract/readers.ts';
import { deadPort, serve, type Service } from '../client/servers.ts';
import { bin, startBin, temporaryHome } from '../support/bin.ts';
import { alive, cli, type CliOptions, type Ran } from '../support/cli.ts';
import { commands, type Named } from '../support/commands.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { isLong } from '../support/long-tests.ts';
import { serveLocal } from '../support/local.ts';
import { openWorld } from '../support/world.ts';
import { signed } from '../commands/webhooks-rig.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';

const testKey = 'sk_test_4f9Qm2ZpL8xVt3HdXk7R';
const liveKey = 'sk_live_7Rw1Kc5NbY6uJe0SqMvA';
const bareKey = 'Zt5hWq8LpXc2Vn9BdK4m';
const oddKey = 'Gy7"Tr\\4&Pw<1,Hs6%Jz';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const stored = [testKey, liveKey, bareKey, secret];

/** Fails if a part of a secret appears that is longer than the part printed on purpose. */
function leaks(text: string, secrets: readonly string[]): readonly string[] {
  const parts = secrets.flatMap((one) => {
    const body = one.replace(/^(sk_(test|live)_(local-)?|whsec_)/, '');
    return Array.from({ length: body.length - 5 }, (_, at) => body.slice(at, at + 6));
  });
  return parts.filter((part) => text.includes(part));
}

const forms = ['text', 'table', 'json', 'ndjson', 'csv', 'tsv', 'id'] as const;
const formWords = (form: (typeof forms)[number]) => (form === 'text' ? [] : ['-o', form]);

interface Case {
  readonly argv: readonly (readonly string[])[];
  readonly stdin?: string;
  /** Set if it refuses -o id before any call. */
  readonly hasNoId?: true;
}

const rowFolder = temporaryHome();
afterAll(() => rowFolder.remove());
const rowFile = join(rowFolder.path, 'row.csv');
writeFileSync(rowFile, 'phone,name\n+12025550142,Ada\n');
/** True however the last run of that file ended. */
const again = ['--again'] as const;

const calls: Readonly<Record<string, Case>> = {
  'send-template': {
    argv: [
      ['+12025550101', 'welcome'],
      ['+12025550101', 'none_such'],
      ['+12025550101', 'welcome', '--wait', '--within', '1ms'],
    ],
  },
  'contacts list': { argv: [[], ['--all'], ['--limit', '1']] },
  'contacts create': {
    argv: [
      ['--set', 'phone=+12025550142'],
      ['--set', 'name=Ada'],
    ],
  },
  'templates list': { argv: [[]] },
  'templates show': { argv: [['order_update'], ['none_such']], hasNoId: true },
  'campaigns list': { argv: [[]] },
  'contacts export': { argv: [[]] },
  'contacts import': {
    argv: [
      [rowFile, ...again, '--at-most', '1'],
      [rowFile, ...again],
    ],
    hasNoId: true,
  },
  'send-batch': {
    argv: [
      ['welcome', rowFile, ...again, '--at-most', '1'],
      ['none_such', rowFile, ...again],
    ],
    hasNoId: true,
  },
  doctor: { argv: [[]], hasNoId: true },
  api: { argv: [['/api/public/contacts', '-i'], ['/api/public/flows'], ['/api/public/contacts', '-f', 'a=b']] },
};

const atHome: Readonly<Record<string, Case>> = {
  whoami: { argv: [[], ['--profile', 'acme'], ['--profile', 'acme', '--mode', 'live']] },
  'keys switch-mode': {
    argv: [
      ['live', '--profile', 'acme', '--yes'],
      ['live', '--profile', 'acme'],
      ['sandbox', '--profile', 'acme'],
    ],
  },
  'profiles set': {
    argv: [
      ['acme', '--plan', 'scale'],
      ['acme', '--webhook-secret-stdin'],
      ['acme', '--base-url', 'https://other.example.com', '--yes'],
      ['acme', '--base-url', 'https://other.example.com'],
    ],
    stdin: secret,
  },
  'profiles list': { argv: [[]] },
  logout: {
    argv: [['acme', '--live', '--yes'], ['acme', '--live'], ['acme', '--yes'], ['acme'], ['none']],
  },
  login: {
    argv: [
      ['--profile', 'gamma', '--base-url', 'http://127.0.0.1:9', '--key-stdin', '--retries', '0'],
      ['--profile', 'acme', '--no-check', '--key-stdin'],
      ['--profile', 'delta', '--no-check', '--key-stdin', '--base-url', 'https://api.example.com'],
    ],
    stdin: testKey,
  },
  completion: { argv: [['bash'], ['zsh'], ['fish']] },
  help: { argv: [[], ['exit-codes'], ['environment'], ['contacts', 'list']] },
  'opt-outs list': { argv: [[]] },
  'opt-outs add': { argv: [['+12025550101']] },
  'opt-outs remove': { argv: [['+12025550101']] },
  'sandbox status': { argv: [[]] },
  'sandbox open': { argv: [['--print'], ['--url', 'http://127.0.0.1:9']] },
};

/** Commands about the events that a listener received. */
const ofEvents: Readonly<Record<string, Case>> = {
  'webhooks history': { argv: [[], ['--failed'], ['--clear', '--yes'], ['--clear']] },
  'webhooks show': { argv: [[], ['none'], ['--raw', '-']] },
  'webhooks verify': {
    argv: [[], ['--secret-stdin'], ['--profile', 'acme', '--at', '1'], ['--file', '-'], ['--secret-file', 'none']],
    stdin: secret,
  },
  'webhooks replay': {
    argv: [['e', '--to', '9'], ['e', '--to', '9', '--resign', '--secret-stdin'], ['--since', '1h'], ['none']],
    stdin: secret,
  },
};

/** Commands that control the sandbox of --profile local. */
const controls: Readonly<Record<string, Case>> = {
  'sandbox keys list': { argv: [[]] },
  'sandbox keys create': { argv: [[], ['--live']] },
  'sandbox keys revoke': { argv: [['none'], ['sk_test_local-Qx8Wd3Nf6Ks1Vb5M']] },
  'sandbox keys go-live': { argv: [[]] },
  'sandbox plan set': { argv: [['starter'], ['gold']] },
  'sandbox plan show': { argv: [[]] },
  'sandbox clock now': { argv: [[]] },
  'sandbox clock freeze': { argv: [[]] },
  'sandbox clock advance': { argv: [['1s'], []] },
  'sandbox clock real': { argv: [[]] },
  'sandbox fault add': {
    argv: [
      ['--on', 'contacts-list', '--hang', '--rate', '0'],
      ['--on', 'none', '--hang'],
    ],
  },
  'sandbox fault list': { argv: [[]] },
  'sandbox fault clear': { argv: [[], ['none']] },
  'sandbox endpoints add': {
    argv: [
      ['http://127.0.0.1:9/hooks'],
      ['http://127.0.0.1:9/hooks', '--secret-stdin', '--catch-up'],
      ['http://hooks.example.com', '--secret-stdin'],
      ['http://user:sk_test_local-Qx8Wd3Nf6Ks1Vb5M@127.0.0.1:9'],
    ],
    stdin: secret,
  },
  'sandbox endpoints list': { argv: [[]] },
  'sandbox endpoints remove': { argv: [['none'], ['http://127.0.0.1:9/hooks']] },
  'sandbox endpoints rotate': { argv: [[], ['none'], ['none', '--show-secret']] },
  'sandbox messages': { argv: [[], ['none'], ['--type', 'failed', '--limit', '1']] },
  'sandbox endpoints deliveries': { argv: [[], ['none'], ['--type', 'message', '--limit', '1']] },
  'sandbox endpoints redeliver': { argv: [['none'], ['--failed'], []] },
  'sandbox trigger': {
    argv: [['message.received'], ['message.read', '--to', '+12025550101'], ['none']],
  },
  'sandbox reset': { argv: [['logs'], ['all'], []] },
  'sandbox seed': { argv: [['-'], ['none.json']], stdin: `{"contacts":[{"phone":"${secret}"}]}` },
  'sandbox requests': { argv: [[], ['--limit', '1'], ['--bytes']] },
};

/** Commands with their own tests below. */
const apart = [
  'sandbox start',
  'sandbox stop',
  'sandbox exec',
  'sandbox env',
  'webhooks listen',
  'webhooks expect',
  'batches list',
  'batches show',
  'batches report',
  'batches resume',
  'batches mark',
  'batches cancel',
  'batches delete',
  'history',
];

it('covers every command', () => {
  const cases = [
    ...Object.keys(calls),
    ...Object.keys(atHome),
    ...Object.keys(controls),
    ...Object.keys(ofEvents),
    ...apart,
  ];
  expect(commands.map(({ name }) => name).sort()).toEqual(cases.sort());
});

function linesOf({ name, command }: Named, { argv, hasNoId }: Case): readonly (readonly string[])[] {
  const dry = command.accepts.includes('dryRun') ? [[], ['--dry-run']] : [[]];
  const printed = command.accepts.includes('output') ? forms : (['text'] as const);
  return argv.flatMap((words) =>
    printed
      .filter((form) => form !== 'id' || !hasNoId)
      .flatMap((form) => dry.map((more) => [...name.split(' '), ...words, ...formWords(form), ...more])),
  );
}

const withCase = (cases: Readonly<Record<string, Case>>) =>
  commands.flatMap((named) => {
    const one = cases[named.name];
    return one ? [{ name: named.name, named, one }] : [];
  });

type Look = (argv: readonly string[], options: CliOptions) => Promise<Ran>;

/** In a pipe, with the trace, and with the trace on a terminal. */
const looks: readonly [Look, ...Look[]] = [
  (argv, options) => cli(argv, options),
  (argv, options) => cli([...argv, '--debug'], options),
  (argv, options) => cli([...argv, '--debug'], { ...options, terminal: 60 }),
];

/** The trace is the same in all formats except text and JSON. */
const looksAt = (argv: readonly string[]) => (argv.includes('-o') && !argv.includes('json') ? [looks[0]] : looks);

/** In one of the looks, which differs between commands. */
async function inOne(argv: readonly string[], options: CliOptions): Promise<Ran> {
  const shown = looksAt(argv);
  const look = shown[argv.join('').length % shown.length] ?? looks[0];
  return look(argv, options);
}

/**
 * Combines each command with credentials, in one of the looks, which take turns. The short form tests a sixth of the
 * combinations, so that all commands together cover each of them.
 */
async function byEach(argv: readonly string[], at: number, callers: readonly Caller[]): Promise<readonly Ran[][]> {
  const shown = looksAt(argv);
  const ran: Ran[][] = [];
  for (const [number, caller] of callers.entries()) {
    const turn = at + number;
    const look = shown[Math.floor(turn / 3) % shown.length] ?? looks[0];
    ran.push(isLong || turn % 6 === 0 ? [await look(argv, await caller())] : []);
  }
  return ran;
}

type Caller = () => CliOptions | Promise<CliOptions>;

const printedBy = (ran: readonly Ran[]) => ran.map(({ stdout, stderr }) => stdout + stderr).join('\n');

async function profileHome(): Promise<string> {
  const home = newHome();
  const folder = join(home, '.config/bizmsg');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const acme = {
    baseUrl: 'https://api.example.com',
    mode: 'sandbox',
    keys: { sandbox: testKey, live: liveKey },
    webhookSecret: secret,
  };
  writeFileSync(join(folder, 'profiles.json'), JSON.stringify({ version: 1, current: 'acme', profiles: { acme } }), {
    mode: 0o600,
  });
  return home;
}

describe('no key is printed by', () => {
  it.each(withCase(calls))('$name, calling a sandbox', async ({ named, one }) => {
    const world = await openWorld();
    const { sandbox, home, env } = world;
    sandbox.keys.goLive();
    const secrets = [sandbox.keys.sandbox, sandbox.keys.live, sandbox.secret()];
    const wrong = 'sk_test_local-Qx8Wd3Nf6Ks1Vb5M';
    try {
      for (const [at, line] of linesOf(named, one).entries()) {
        const [ran = [], live = [], refused = []] = await byEach(line, at, [
          () => ({ home, env }),
          () => ({ home, env: { ...env, BIZMSG_API_KEY: sandbox.keys.live } }),
          () => ({ home, env: { ...env, BIZMSG_API_KEY: wrong } }),
        ]);
        expect([line, leaks(printedBy([...ran, ...live, ...refused]), [...secrets, wrong])]).toEqual([line, []]);
        expect(printedBy(live).includes('LIVE')).toBe(live.length > 0);
      }
    } finally {
      await world.close();
    }
  });

  it.each(withCase(atHome))('$name, with keys in the store and in the environment', async ({ named, one }) => {
    const { stdin } = one;
    const options = { ...(stdin !== undefined && { stdin }) };
    const callers: readonly Caller[] = [
      async () => ({ home: await profileHome(), ...options }),
      async () => ({ home: await profileHome(), ...options, env: callerOf('https://api.example.com', bareKey) }),
      async () => ({ home: await profileHome(), ...options, env: callerOf('http://api.example.com', liveKey) }),
      async () => ({
        home: await profileHome(),
        ...options,
        env: { BIZMSG_API_KEY: liveKey, BIZMSG_PROFILE: 'acme' },
      }),
      async () => ({ home: await profileHome(), ...options, env: { BIZMSG_API_KEY: oddKey } }),
      async () => ({ home: await damagedHome(), ...options }),
    ];
    for (const [at, line] of linesOf(named, one).entries()) {
      const outcomes = (await byEach(line, at, callers)).flat();
      expect([line, leaks(printedBy(outcomes), [...stored, oddKey])]).toEqual([line, []]);
    }
  });
});

describe('no webhook secret is printed by', () => {
  it.each(withCase(ofEvents))('$name', async ({ named, one: { argv, stdin } }) => {
    for (const [at, line] of linesOf(named, { argv }).entries()) {
      const home = await profileHome();
      const journal = await logsIn(join(home, '.local/state/bizmsg'));
      await journal.received(delivery('{}', { headers: signed('{}', { at: 0 }) }));
      const options = { home, ...(stdin !== undefined && { stdin }) };
      const callers: readonly Readonly<Record<string, string>>[] = [
        {},
        { BIZMSG_WEBHOOK_SECRET: secret },
        { BIZMSG_WEBHOOK_SECRET: `${secret} ${secret}` },
      ];
      for (const [number, env] of callers.entries()) {
        if (!isLong && at % callers.length !== number) continue;
        const ran = await inOne(line, { ...options, env });
        expect([line, leaks(printedBy([ran]), stored)]).toEqual([line, []]);
      }
    }
  });
});

describe('only the key that it creates is printed by', () => {
  it.each(withCase(controls))('$name', async ({ named, one }) => {
    const home = newHome();
    const sandbox = await serveLocal(home);
    const wrong = 'sk_test_local-Qx8Wd3Nf6Ks1Vb5M';
    for (const key of [sandbox.keys.sandbox, wrong]) {
      const headers = { authorization: `Bearer ${key}` };
      await sandbox.answer({ method: 'GET', target: `/api/public/contacts?key=${key}`, headers, body: '' });
    }
    for (const line of linesOf(named, one)) {
      const ran = await inOne(line, { home, ...(one.stdin !== undefined && { stdin: one.stdin }) });
      const { sandbox: key, live } = sandbox.keys;
      expect([line, leaks(printedBy([ran]), [key, live, sandbox.secret(), wrong, secret])]).toEqual([line, []]);
    }
  });
});

async function damagedHome(): Promise<string> {
  const home = await profileHome();
  const file = join(home, '.config/bizmsg/profiles.json');
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, -3));
  return home;
}

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
  '401 with text': (response, key) => response.writeHead(401).end(`Authorization: Bearer ${key}`),
  '500 with a long text': (response, key) => response.writeHead(500).end(`${'.'.repeat(4_090)}${key}${key}`),
  '400 with a short message that is cut': (response, key) =>
    response.writeHead(400).end(JSON.stringify({ message: `${'.'.repeat(190)}${key}` })),
  '200 with JSON': (response, key) => response.end(json(key)),
  '200 with a bare array': (response, key) => response.end(JSON.stringify([{ [key]: 1, id: key, deep: { key } }])),
  '200 with HTML': (response, key) => response.end(`<html>${key}</html>`),
  '200 with text and a header': (response, key) =>
    response
      .writeHead(200, { 'X-Seen': `Bearer ${key}`, Link: `<https://x.example/?${key}>; rel="next"` })
      .end(`"${key}"`),
  'a redirect': (response, key) =>
    response.writeHead(302, { Location: `https://x.example/?key=${encodeURIComponent(key)}` }).end(key),
  'a redirect within': (response, key) =>
    response.writeHead(307, { Location: `/?key=${encodeURIComponent(key)}` }).end(key),
  'a broken answer': (response, key) => {
    response.writeHead(200, { 'Content-Length': '400' }).write(key);
    response.socket?.end();
  },
};

function textsIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'));
}

describe('no key is printed if the service responds with', () => {
  const lines = withCase(calls).flatMap(({ named, one }) => linesOf(named, { argv: one.argv.slice(0, 1) }));
  // Errors are the same in all formats except these.
  const isForm = (line: readonly string[]) => !line.includes('-o') || line.includes('json');
  const some = lines.filter((line) => !line.includes('--dry-run') && isForm(line));

  const keys = [testKey, bareKey, oddKey];
  const views = [looks[0], looks[2] ?? looks[0]];

  // The long form tests each response with each command and key, in one of the views, which differs between keys; the
  // short form with every sixth command.
  it.each(Object.entries(echoes).map(([name, echo], at) => ({ name, echo, at })))(
    '$name that repeats it',
    async ({ echo, at }) => {
      for (const [number, key] of keys.entries()) {
        const service: Service = await serve((_, __, response) => echo(response, key));
        for (const [order, line] of some.entries()) {
          const turn = at + order;
          if (!isLong && turn % (6 * keys.length) !== 6 * number) continue;
          const ran: Ran[] = [];
          for (const [view, look] of views.entries()) {
            // After a 429, another run of the same home would wait.
            const options = { home: newHome(), env: callerOf(service.url, key) };
            const chosen = isLong ? turn + number : Math.floor(turn / (6 * keys.length));
            if (chosen % views.length === view) ran.push(await look([...line, '--retries', '0'], options));
          }
          expect([line, leaks(printedBy(ran), [key])]).toEqual([line, []]);
        }
      }
    },
  );

  it('no response, because the service is unreachable', async () => {
    const env = callerOf(`http://127.0.0.1:${await deadPort()}`, bareKey);
    // A run would wait for it.
    for (const line of some.filter((words) => !words.includes(rowFile))) {
      const ran = await inOne([...line, '--retries', '0'], { home: newHome(), env });
      expect([line, leaks(printedBy([ran]), [bareKey])]).toEqual([line, []]);
    }
  });

  it.each(['400 with JSON', '500 with a long text', '200 with HTML'])(
    '%s, including the stored results of a batch',
    async (name) => {
      for (const key of isLong ? keys : [oddKey]) {
        const service = await serve((_, __, response) => echoes[name]?.(response, key));
        const home = newHome();
        const file = join(home, 'people.csv');
        writeFileSync(file, 'phone,name\n+12025550142,Ada\n');
        const env = callerOf(service.url, key);
        const ran = [await cli(['contacts', 'import', file, '--at-most', '1'], { home, env })];
        for (const form of forms) {
          for (const words of [['list'], ['show', 'people'], ['report', 'people'], ['show', 'none']])
            ran.push(await inOne(['batches', ...words, ...formWords(form)], { home }));
          ran.push(await inOne(['history', ...formWords(form)], { home }));
        }
        const kept = textsIn(home);
        expect([ran[0]?.code, kept.some((text) => text.includes('+12025550142'))]).toEqual([10, true]);
        for (const words of ['resume people', 'mark people --sent', 'cancel people', 'delete people --yes'])
          ran.push(await cli(['batches', ...words.split(' ')], { home, env }));
        expect(leaks([printedBy(ran), ...kept].join('\n'), [key])).toEqual([]);
      }
    },
  );
});

describe('a sandbox in the background', () => {
  const home = temporaryHome();
  const env = { ...callerOf('https://api.example.com', liveKey), BIZMSG_WEBHOOK_SECRET: secret };
  const run = (...argv: readonly string[]) => bin(argv, { home: home.path, env });
  let keys: readonly string[] = [];
  let pid = 0;
  let started = '';

  beforeAll(async () => {
    const ran = await run('sandbox', 'start', '--background', '--port', '0', '--debug');
    started = ran.stdout + ran.stderr;
    keys = Object.values(JSON.parse((await run('sandbox', 'env', '-o', 'json')).stdout))
      .map(String)
      .filter((value) => !value.startsWith('http'));
    const status: unknown = JSON.parse((await run('sandbox', 'status', '-o', 'json')).stdout);
    const [first]: readonly unknown[] = Array.isArray(status) ? status : [];
    pid = isRecord(first) ? Number(first['pid']) : 0;
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

  it.each([[], ['-o', 'json'], ['-o', 'ndjson'], ['-o', 'csv'], ['--debug']])(
    'prints no key with sandbox status %s %s',
    async (...argv) => {
      const { code, stdout, stderr } = await run('sandbox', 'status', ...argv);
      expect([code, leaks(stdout + stderr, [...keys, liveKey, secret])]).toEqual([0, []]);
    },
  );

  it('prints no key when it starts, in the background or foreground', async () => {
    const ran = [
      await run('sandbox', 'start', '--background'),
      await run('sandbox', 'start', '--ephemeral', '--port', '0', '--idle', '50ms', '-o', 'ndjson'),
      await run('sandbox', 'start', '--ephemeral', '--port', '0', '--idle', '50ms', '--debug'),
    ];
    const printed = started + printedBy(ran);
    expect(ran.map(({ code }) => code)).toEqual([3, 0, 0]);
    expect([leaks(printed, [...keys, liveKey, secret]), /local-\w{6}|whsec_\w{6}/.exec(printed)]).toEqual([[], null]);
  });

  it('is called with --profile local without printing a key', async () => {
    const ran = [
      await run('send-template', '+12025550101', 'welcome', '--profile', 'local', '--debug'),
      await run('contacts', 'list', '--profile', 'local', '-o', 'json', '--debug'),
      await run('whoami', '--profile', 'local'),
    ];
    expect([ran.map(({ code }) => code), leaks(printedBy(ran), [...keys, liveKey])]).toEqual([[0, 0, 0], []]);
  });

  it.runIf(existsSync('/proc/self/environ'))('has no key in its command line or its environment', () => {
    const seen = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0');
    expect(seen).toContain('sandbox\0start');
    expect(leaks(seen, [...keys, liveKey, secret])).toEqual([]);
  });

  it('writes no key to its log', () => {
    const log = join(home.path, '.local/state/bizmsg/sandbox.log');
    expect(leaks(readFileSync(log, 'utf8'), [...keys, liveKey, secret])).toEqual([]);
  });

  it('prints no key of sandbox exec, except in the output of its command', async () => {
    const own = ['sh', '-c', 'bizmsg whoami; bizmsg contacts list --debug; echo "$BIZMSG_API_KEY"'];
    const ran = await run('sandbox', 'exec', '--debug', '--', ...own);
    const key = ran.stdout.trimEnd().split('\n').at(-1) ?? '';
    expect([ran.code, ran.stderr.includes('the sandbox of this command is http')]).toEqual([0, true]);
    expect(leaks(ran.stdout.replace(`${key}\n`, '') + ran.stderr, [key, ...keys, liveKey, secret])).toEqual([]);
  });

  it('prints no key while webhooks expect waits, except in the output of the command', async () => {
    const words = ['webhooks', 'expect', 'order.paid', '--debug', '--profile', 'local', '--within'];
    const ran = [
      await run(...words, '1s', '--', 'bizmsg', 'sandbox', 'trigger', 'order.paid'),
      await run(...words, '1ms', '--', 'bizmsg', 'whoami'),
    ];
    expect(ran.map(({ code }) => code)).toEqual([0, 13]);
    expect(leaks(printedBy(ran), [...keys, liveKey, secret])).toEqual([]);
  });

  it('prints no secret while a listener runs, with its own secret or another', async () => {
    const signing = (await run('sandbox', 'env')).stdout.match(/(?<=_SECRET=)\S+/g) ?? [];
    for (const [argv, form] of [
      [['--profile', 'local'], 'ndjson'],
      [['--profile', 'local', '--full', '--secret-stdin'], 'table'],
      [['--full'], 'ndjson'],
    ] as const) {
      const words = ['webhooks', 'listen', '--port', '0', '--debug', '-o', form, ...argv];
      const listening = startBin(words, { home: home.path, env, input: secret });
      onTestFinished(() => void alive(listening.pid, 'SIGKILL'));
      await expect.poll(listening.stdout).toMatch(/Ready|"ready"/);
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(listening.stdout())?.[0] ?? '';
      await fetch(url, { method: 'POST', body: JSON.stringify({ type: 'order.paid', data: { secret } }) });
      await expect.poll(listening.stdout).toContain('order.paid');
      alive(listening.pid, 'SIGINT');
      expect(await listening.ended).toBe(0);
      const printed = listening.stdout() + listening.stderr();
      const hidden = form === 'ndjson' && argv[0] === '--profile' ? [] : [secret];
      expect([argv, leaks(printed, [...keys, ...signing, liveKey, ...hidden])]).toEqual([argv, []]);
    }
  });

  it('prints no key when it stops', async () => {
    const other = temporaryHome();
    const own = (...argv: readonly string[]) => bin(argv, { home: other.path, env });
    await own('sandbox', 'start', '--background', '--port', '0');
    const printedKeys = (await own('sandbox', 'env')).stdout.match(/(?<=_KEY=|_SECRET=)\S+/g) ?? [];
    const stopped = await own('sandbox', 'stop', '-o', 'json', '--debug');
    other.remove();
    expect([stopped.code, printedKeys.length]).toEqual([0, 2]);
    expect(leaks(stopped.stdout + stopped.stderr, [...printedKeys, liveKey])).toEqual([]);
  });
});
