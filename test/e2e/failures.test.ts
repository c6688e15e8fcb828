import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitCodes, type ExitName } from '../../src/base/errors.ts';
import { deadPort } from '../client/servers.ts';
import { bin, cleanEnv, program, programText } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import {
  callerOf,
  type BadResponse,
  badResponseNames,
  badResponses,
  newHome,
  openHostile,
  testKey,
} from '../support/fake-service.ts';
import { errorIn, noteCodes, objects } from '../support/json-lines.ts';
import { openWorld, type World } from '../support/world.ts';
import { some } from '../support/long-tests.ts';

const send = ['send-template', '+12025550101', 'welcome'];
const create = ['contacts', 'create', '--set', 'phone=+12025550142'];
const list = ['contacts', 'list', '--retries', '0'];
const forms = [['-o', 'json'], ['--output=ndjson']] as const;
const liveKey = 'sk_live_0123456789abcdef';
type Variables = Readonly<Record<string, string>>;

interface Stage {
  readonly home: string;
  readonly env: Variables;
  /** The number of requests that reached a server this command could call. */
  arrived?(): number;
}

interface Failure {
  readonly name: string;
  readonly argv: readonly string[];
  readonly exit: ExitName;
  readonly code: string;
  readonly done?: 'no' | 'unknown';
  readonly status?: number;
  readonly arrived?: number;
  readonly stage: () => Promise<Stage>;
}

const answering = (status: number, body = '{"message":"no"}', headers: Variables = {}) =>
  staged(() => openHostile((_, __, response) => response.writeHead(status, headers).end(body)));

/** A service that names its own address in its responses. */
const pointingToItself = (answer: (own: string) => readonly [status: number, headers: Variables, body: string]) =>
  staged(() =>
    openHostile(({ headers: { host } }, _, response) => {
      const [status, headers, body] = answer(`http://${host}`);
      response.writeHead(status, headers).end(body);
    }),
  );

const doing = (bad: BadResponse) => staged(() => openHostile((_, __, response) => void badResponses[bad](response)));

function staged(open: () => ReturnType<typeof openHostile>): () => Promise<Stage> {
  return async () => {
    const { home, env, seen } = await open();
    return { home, env, arrived: () => seen.length };
  };
}

/** A command in this environment, next to a service that records all requests. */
function calledAs(change: (env: Variables, world: World) => Variables): () => Promise<Stage> {
  return async () => {
    const world = await openWorld();
    onTestFinished(() => world.close());
    const { sandbox, home, env } = world;
    const arrived = () => sandbox.keys.list().flatMap(({ id }) => sandbox.audit(id)).length;
    return { home, env: change(env, world), arrived };
  };
}

const noCaller = async () => ({ home: newHome(), env: {} });
const unreachable = async () => ({ home: newHome(), env: callerOf(`http://127.0.0.1:${await deadPort()}`) });

async function damagedStore(): Promise<Stage> {
  const home = newHome();
  mkdirSync(join(home, '.config/bizmsg'), { recursive: true });
  writeFileSync(join(home, '.config/bizmsg/profiles.json'), `{"version":1,"profiles":{"acme":"${liveKey}`);
  return { home, env: {} };
}

const failures: readonly Failure[] = [
  { name: 'an unknown command', argv: ['contcts'], exit: 'usage', code: 'usage', stage: noCaller },
  { name: 'an announced command', argv: ['flows'], exit: 'usage', code: 'announced', stage: noCaller },
  { name: 'an unknown option', argv: [...list, '--alll'], exit: 'usage', code: 'usage', stage: noCaller },
  {
    name: 'an unreadable --input',
    argv: ['contacts', 'create', '--input', '/nowhere'],
    exit: 'usage',
    code: 'usage',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'an unreadable --input of api',
    argv: ['api', '/x', '--input', '/nowhere'],
    exit: 'usage',
    code: 'usage',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'an unreadable @file of api',
    argv: ['api', '/x', '-F', 'a=@/nowhere'],
    exit: 'usage',
    code: 'usage',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'a missing value without a terminal',
    argv: ['send-template'],
    exit: 'usage',
    code: 'usage',
    stage: answering(200),
    arrived: 0,
  },
  { name: 'no credentials', argv: list, exit: 'configuration', code: 'no-profile', stage: noCaller },
  {
    name: 'an unknown profile',
    argv: [...list, '--profile', 'acme'],
    exit: 'configuration',
    code: 'unknown-profile',
    stage: noCaller,
  },
  { name: 'a damaged store', argv: list, exit: 'configuration', code: 'store-damaged', stage: damagedStore },
  {
    name: 'a missing --ca-file',
    argv: [...list, '--ca-file', '/nowhere'],
    exit: 'configuration',
    code: 'ca-file',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'a --ca-file without a certificate',
    argv: [...list, '--ca-file', '/etc/hostname'],
    exit: 'configuration',
    code: 'ca-file',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'a proxy whose password has a bare %',
    argv: list,
    exit: 'configuration',
    code: 'proxy',
    stage: async () => ({
      home: newHome(),
      env: { ...callerOf('https://api.example.com'), HTTPS_PROXY: 'http://ada:100%@127.0.0.1:9' },
    }),
  },
  {
    name: 'a key without an address',
    argv: list,
    exit: 'configuration',
    code: 'key-without-address',
    stage: async () => ({ home: newHome(), env: { BIZMSG_API_KEY: testKey } }),
  },
  {
    name: 'a key together with BIZMSG_PROFILE',
    argv: list,
    exit: 'configuration',
    code: 'two-callers',
    stage: calledAs((env) => ({ ...env, BIZMSG_PROFILE: 'acme' })),
    arrived: 0,
  },
  {
    name: 'an invalid mode',
    argv: list,
    exit: 'configuration',
    code: 'bad-variable',
    stage: calledAs((env) => ({ ...env, BIZMSG_MODE: 'test' })),
    arrived: 0,
  },
  {
    name: 'an invalid address',
    argv: list,
    exit: 'configuration',
    code: 'bad-variable',
    stage: calledAs((env) => ({ ...env, BIZMSG_BASE_URL: 'api.example.com' })),
    arrived: 0,
  },
  {
    name: 'a refused key',
    argv: list,
    exit: 'keyRefused',
    code: 'unauthorized',
    status: 401,
    stage: calledAs((env) => ({ ...env, BIZMSG_API_KEY: 'sk_test_local-unknown0' })),
  },
  {
    name: 'a send with a refused key',
    argv: send,
    exit: 'keyRefused',
    code: 'unauthorized',
    status: 401,
    done: 'no',
    stage: calledAs((env) => ({ ...env, BIZMSG_API_KEY: 'sk_test_local-unknown0' })),
  },
  {
    name: 'a live key of an account that is not live',
    argv: list,
    exit: 'keyRefused',
    code: 'unauthorized',
    stage: calledAs((env, { sandbox }) => ({ ...env, BIZMSG_API_KEY: sandbox.keys.live })),
    arrived: 1,
  },
  {
    name: 'an endpoint that the plan does not include',
    argv: create,
    exit: 'keyRefused',
    code: 'forbidden',
    status: 403,
    done: 'no',
    stage: answering(403),
    arrived: 1,
  },
  {
    name: 'a 404',
    argv: list,
    exit: 'notFound',
    code: 'not-found',
    status: 404,
    stage: answering(404),
    arrived: 1,
  },
  {
    name: 'an unknown template',
    argv: send,
    exit: 'notFound',
    code: 'not-found',
    status: 404,
    done: 'no',
    stage: answering(404),
    arrived: 1,
  },
  {
    name: 'a 400',
    argv: send,
    exit: 'rejected',
    code: 'rejected',
    status: 400,
    done: 'no',
    stage: answering(400),
    arrived: 1,
  },
  {
    name: 'a 418',
    argv: create,
    exit: 'rejected',
    code: 'rejected',
    status: 418,
    done: 'no',
    stage: answering(418),
    arrived: 1,
  },
  {
    name: 'a 409 to a GET',
    argv: list,
    exit: 'rejected',
    code: 'rejected',
    status: 409,
    stage: answering(409),
    arrived: 1,
  },
  {
    name: 'repeated 429s',
    argv: [...send, '--retries', '0'],
    exit: 'rateLimited',
    code: 'rate-limited',
    status: 429,
    done: 'no',
    stage: answering(429),
    arrived: 1,
  },
  {
    name: 'a 429 to a GET',
    argv: list,
    exit: 'rateLimited',
    code: 'rate-limited',
    status: 429,
    stage: answering(429),
    arrived: 1,
  },
  {
    name: 'a 429 with a long Retry-After',
    argv: send,
    exit: 'rateLimited',
    code: 'rate-limited',
    done: 'no',
    stage: answering(429, '', { 'Retry-After': '3600' }),
    arrived: 1,
  },
  {
    name: 'a 500 to a GET',
    argv: list,
    exit: 'serviceFault',
    code: 'service-fault',
    status: 500,
    stage: answering(500),
    arrived: 1,
  },
  {
    name: 'HTML to a GET',
    argv: list,
    exit: 'serviceFault',
    code: 'unreadable-answer',
    status: 200,
    stage: answering(200, '<html>hello</html>'),
    arrived: 1,
  },
  {
    name: 'incomplete JSON to a GET',
    argv: list,
    exit: 'serviceFault',
    code: 'unreadable-answer',
    stage: doing('incomplete JSON'),
    arrived: 1,
  },
  {
    name: 'invalid HTTP to a GET',
    argv: list,
    exit: 'serviceFault',
    code: 'unreadable-answer',
    stage: doing('invalid HTTP'),
    arrived: 1,
  },
  {
    name: 'an endless response to a GET',
    argv: list,
    exit: 'serviceFault',
    code: 'answer-too-large',
    stage: doing('a body of 34 MiB'),
    arrived: 1,
  },
  { name: 'a refused connection', argv: list, exit: 'network', code: 'unreachable', stage: unreachable },
  {
    name: 'a send over a refused connection',
    argv: [...send, '--retries', '0'],
    exit: 'network',
    code: 'unreachable',
    done: 'no',
    stage: unreachable,
  },
  {
    name: 'a reset of a GET',
    argv: list,
    exit: 'network',
    code: 'connection-lost',
    stage: doing('a reset'),
    arrived: 1,
  },
  {
    name: 'a time-out of a GET',
    argv: [...list, '--timeout', '200ms'],
    exit: 'network',
    code: 'timeout',
    stage: doing('no response'),
    arrived: 1,
  },
  {
    name: 'TLS to a server without TLS',
    argv: [...send, '--retries', '0'],
    exit: 'network',
    code: 'tls',
    done: 'no',
    stage: async () => {
      const { home, url } = await openHostile(() => {});
      return { home, env: callerOf(url.replace('http:', 'https:')) };
    },
  },
  {
    name: 'BIZMSG_LOCAL_ONLY=1 with another address',
    argv: send,
    exit: 'unsafe',
    code: 'only-local',
    stage: staged(async () => {
      const hostile = await openHostile(() => {});
      return { ...hostile, env: { ...hostile.env, BIZMSG_LOCAL_ONLY: '1' } };
    }),
    arrived: 0,
  },
  {
    name: '--mode live with a sandbox key',
    argv: [...send, '--mode', 'live'],
    exit: 'unsafe',
    code: 'wrong-mode',
    stage: calledAs((env) => env),
    arrived: 0,
  },
  {
    name: 'BIZMSG_MODE=sandbox with a live key',
    argv: list,
    exit: 'unsafe',
    code: 'wrong-mode',
    stage: calledAs((env, { sandbox }) => ({ ...env, BIZMSG_API_KEY: sandbox.keys.live, BIZMSG_MODE: 'sandbox' })),
    arrived: 0,
  },
  {
    name: 'a key of a local sandbox to another port',
    argv: send,
    exit: 'unsafe',
    code: 'local-key-elsewhere',
    stage: staged(async () => {
      const hostile = await openHostile((_, __, response) => response.writeHead(404).end());
      return { ...hostile, env: callerOf(hostile.url, 'sk_test_local-0123456789') };
    }),
    // Without the key, it is asked whether it is a sandbox.
    arrived: 1,
  },
  {
    name: 'a real live key to a local sandbox',
    argv: send,
    exit: 'unsafe',
    code: 'live-key-to-sandbox',
    stage: calledAs((env) => ({ ...env, BIZMSG_API_KEY: liveKey })),
    arrived: 0,
  },
  {
    name: 'a key of unknown mode to a local sandbox',
    argv: send,
    exit: 'unsafe',
    code: 'live-key-to-sandbox',
    stage: calledAs((env) => ({ ...env, BIZMSG_API_KEY: 'neither-prefix-0123' })),
    arrived: 0,
  },
  {
    name: 'plain http to another machine',
    argv: send,
    exit: 'unsafe',
    code: 'plain-http',
    stage: async () => ({ home: newHome(), env: callerOf('http://api.example.com') }),
  },
  {
    name: 'a key among the arguments',
    argv: ['api', '/x', '-H', `Authorization: Bearer ${testKey}`],
    exit: 'unsafe',
    code: 'key-in-arguments',
    stage: answering(200),
    arrived: 0,
  },
  {
    name: 'a redirect of a POST',
    argv: send,
    exit: 'unsafe',
    code: 'redirect-refused',
    status: 307,
    done: 'no',
    stage: answering(307, '', { Location: '/elsewhere' }),
    arrived: 1,
  },
  {
    name: 'a redirect of a POST that may have been executed',
    argv: create,
    exit: 'unsafe',
    code: 'redirect-refused',
    status: 303,
    done: 'unknown',
    stage: answering(303, '', { Location: '/elsewhere' }),
    arrived: 1,
  },
  {
    name: 'a redirect of a GET to a blob: address of its own origin',
    argv: list,
    exit: 'unsafe',
    code: 'redirect-refused',
    status: 302,
    stage: pointingToItself((own) => [302, { Location: `blob:${own}/x` }, '']),
    arrived: 1,
  },
  {
    name: 'a Link to a blob: address of its own origin',
    argv: [...list, '--all'],
    exit: 'unsafe',
    code: 'foreign-link',
    stage: pointingToItself((own) => [200, { Link: `<blob:${own}/x>; rel="next"` }, '[{"id":1}]']),
    arrived: 1,
  },
  {
    name: 'a cursor that is a blob: address of its own origin',
    argv: [...list, '--all'],
    exit: 'unsafe',
    code: 'foreign-link',
    stage: pointingToItself((own) => [200, {}, `{"data":[{"id":1}],"next":"blob:${own}/x"}`]),
    arrived: 1,
  },
  {
    name: 'an endless redirect of a GET',
    argv: list,
    exit: 'unsafe',
    code: 'redirect-refused',
    status: 302,
    stage: answering(302, '', { Location: '/elsewhere' }),
    arrived: 6,
  },
  ...[
    '//evil.example/x',
    '@evil.example/x',
    'https://evil.example/x',
    '\\\\evil.example',
    '.evil.example',
    ':80@evil.example/',
  ].map((path) => ({
    name: `api ${path}`,
    argv: ['api', path],
    exit: 'unsafe' as const,
    code: 'foreign-address',
    stage: answering(200),
    arrived: 0,
  })),
];

describe('a failure', () => {
  it.each(failures)(
    'of $name exits with $exit and prints one error on stderr',
    async ({ argv, exit, arrived, stage }) => {
      const { home, env, ...scene } = await stage();
      const ran = await cli(argv, { home, env });
      expect([ran.code, ran.stdout, ran.stderr.match(/^error: ./gm)?.length]).toEqual([exitCodes[exit], '', 1]);
      expect(arrived === undefined ? undefined : scene.arrived?.()).toBe(arrived);
    },
  );

  it.each(failures.flatMap((one) => forms.map((form) => ({ ...one, form }))))(
    'of $name with $form is the last of the JSON objects on stderr',
    async ({ argv, form, exit, code, done, status, stage }) => {
      const ran = await cli([...argv, ...form], await stage());
      expect([ran.code, ran.stdout]).toEqual([exitCodes[exit], '']);
      const error = errorIn(ran.stderr);
      expect(error).toMatchObject({
        code,
        message: expect.stringMatching(/./),
        ...(status !== undefined && { status }),
      });
      expect([error['done'], 'done' in error]).toEqual([done, done !== undefined]);
      expect(
        objects(ran.stderr)
          .slice(0, -1)
          .every((line) => 'note' in line),
      ).toBe(true);
    },
  );
});

describe('a POST that the service executed', () => {
  // An empty 2xx, or one of any shape, is a success if the document shows no body.
  const badForAll = badResponseNames.filter(
    (name) => !['an empty 200', 'a message_id that is a number', 'an empty message_id', 'an array'].includes(name),
  );
  const cases = [
    ...badResponseNames.map((bad) => ({ call: 'send-template', argv: send, bad })),
    ...badForAll.map((bad) => ({ call: 'contacts create', argv: create, bad })),
  ];

  it.each(cases)('is sent once if the response is $bad: $call exits 13', async ({ argv, bad }) => {
    const hostile = await openHostile((_, __, response) => void badResponses[bad](response));
    const ran = await cli([...argv, '-o', 'json', '--timeout', '300ms'], hostile);
    const error = errorIn(ran.stderr);
    expect([ran.code, ran.stdout, error['done']]).toEqual([13, '', 'unknown']);
    expect(error['hint']).toContain('it may have been done');
    expect(hostile.seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it.each(['a 500', 'a reset', 'no response', 'incomplete JSON'] as const)(
    'exits 13 in the binary after %s',
    async (bad) => {
      const { home, env, seen } = await openHostile((_, __, response) => void badResponses[bad](response));
      const ran = await bin([...send, '--timeout', '2s'], { home, env });
      expect([ran.code, ran.stdout, seen.length]).toEqual([13, '', 1]);
      expect(ran.stderr).toContain('it may have been done');
    },
  );

  it('succeeds with any body if the document shows none', async () => {
    for (const body of ['', '[]', '{"id":7}', 'null', '"ok"']) {
      const hostile = await openHostile((_, __, response) => response.end(body));
      expect((await cli(create, hostile)).code).toBe(0);
    }
  });

  it('may also be a PUT, PATCH or DELETE of api', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      const hostile = await openHostile((_, __, response) => response.writeHead(502).end());
      const { code, stderr } = await cli(['api', '/x', '-X', method, '-o', 'json'], hostile);
      expect([code, errorIn(stderr)['done'], hostile.seen.length]).toEqual([13, 'unknown', 1]);
    }
  });
});

describe('a call that was certainly not executed', () => {
  it('is retried after a 429, at the time the service asks for', async () => {
    const hostile = await openHostile((_, __, response) =>
      hostile.seen.length < 3
        ? response.writeHead(429, { 'Retry-After': '0' }).end()
        : response.end('{"message_id":"msg_1"}'),
    );
    const { code, stdout, stderr } = await cli([...send, '-o', 'json'], hostile);
    expect([code, stdout, hostile.seen.length]).toEqual([0, '{"message_id":"msg_1"}\n', 3]);
    expect(noteCodes(stderr)).toEqual(['sandbox-key', 'waiting', 'waiting']);
  });

  it('fails when the retries are used up', async () => {
    const hostile = await openHostile((_, __, response) => response.writeHead(429, { 'Retry-After': '0' }).end());
    const { code, stdout } = await cli([...send, '--retries', '2'], hostile);
    expect([code, stdout, hostile.seen.length]).toEqual([7, '', 3]);
  });
});

describe('the key', () => {
  it.each([301, 302, 303, 307, 308])('is not sent to another origin after a %i', async (status) => {
    const other = await openHostile((_, __, response) => response.end('[]'));
    const { home, env } = await openHostile((_, __, response) =>
      response.writeHead(status, { Location: `${other.url}/api/public/contacts` }).end(),
    );
    for (const argv of [list, ['api', '/api/public/contacts'], send]) {
      const { code, stdout } = await cli(argv, { home, env });
      expect([code, stdout]).toEqual([11, '']);
    }
    expect(other.seen).toEqual([]);
  });

  it.each([
    ['a Link', { Link: '<URL/api/public/contacts?page=2>; rel="next"' }, '[{"id":"1"}]'],
    ['a next URL in the response', {}, '{"data":[{"id":"1"}],"next":"URL/api/public/contacts?page=2"}'],
  ])('is not sent to another origin by %s', async (_, headers, body) => {
    const other = await openHostile((_, __, response) => response.end('[]'));
    const filled = (text: string) => text.replace('URL', other.url);
    const { home, env } = await openHostile((_, __, response) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, filled(value));
      response.end(filled(body));
    });
    const { code, stdout } = await cli([...list, '--all'], { home, env });
    expect([code, stdout, other.seen]).toEqual([11, '', []]);
  });

  it('is sent with a GET that is redirected within its origin', async () => {
    const { home, env, seen } = await openHostile(({ url }, _, response) =>
      url === '/moved' ? response.end('[{"id":"1"}]') : response.writeHead(302, { Location: '/moved' }).end(),
    );
    const { code, stdout } = await cli([...list, '-o', 'id'], { home, env });
    expect([code, stdout]).toEqual([0, '1\n']);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${testKey}`, `Bearer ${testKey}`]);
  });
});

describe('an environment variable that is empty', () => {
  it.each(
    some(['API_KEY', 'BASE_URL', 'PROFILE', 'MODE', 'ONLY', 'CONFIG_DIR', 'STATE_DIR', 'WEBHOOK_SECRET', 'WHATEVER']),
  )('is a configuration error, not ignored: BIZMSG_%s', async (name) => {
    const { home, env, seen } = await openHostile((_, __, response) => response.end('[]'));
    for (const value of ['', ' ']) {
      const { code, stdout, stderr } = await cli(list, { home, env: { ...env, [`BIZMSG_${name}`]: value } });
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain(`BIZMSG_${name}`);
    }
    expect(seen).toEqual([]);
  });
});

describe('a dry run', () => {
  it.each(
    some([
      { argv: send, method: 'POST', path: '/api/public/messages/send-template' },
      { argv: create, method: 'POST', path: '/api/public/contacts' },
      { argv: ['contacts', 'list', '--all'], method: 'GET', path: '/api/public/contacts' },
      { argv: ['templates', 'list', '--url-param', 'a=b c'], method: 'GET', path: '/api/public/templates?a=b+c' },
      { argv: ['campaigns', 'list'], method: 'GET', path: '/api/public/campaigns' },
      { argv: ['api', '/x', '-X', 'DELETE'], method: 'DELETE', path: '/x' },
    ]),
  )('of $argv sends nothing and prints the request', async ({ argv, method, path }) => {
    const { home, env, url, seen } = await openHostile((_, __, response) => response.end('[]'));
    const piped = await cli([...argv, '--dry-run'], { home, env });
    const shown = await cli([...argv, '--dry-run'], { home, env, terminal: 80 });
    expect([piped.code, shown.code]).toEqual([0, 0]);
    // A dry run of a message looks for the template's text.
    expect(seen.filter(({ method }) => method !== 'GET' || argv[0] !== 'send-template')).toEqual([]);
    expect(JSON.parse(piped.stdout)).toMatchObject({
      method,
      url: url + path,
      headers: { Authorization: 'Bearer $BIZMSG_API_KEY' },
    });
    expect(shown.stdout).toContain(`'${url}${path}'`);
    expect(shown.stdout).toMatch(/^curl .*"Authorization: Bearer \$BIZMSG_API_KEY"/);
  });

  it('prints a shell command that makes the same call', async () => {
    const { home, env, seen: all } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const argv = ['send-template', '+12025550101', 'welcome', '-p', 'it\'s $HOME `id` "x"'];
    const { stdout } = await cli([...argv, '--dry-run'], { home, env, terminal: 80 });
    await cli(argv, { home, env });
    const made = await execa('sh', ['-c', stdout], { env, reject: false });
    if (made.exitCode === 127) return;
    const seen = all.filter(({ method }) => method === 'POST');
    expect(seen.map(({ method, url, body }) => ({ method, url, body }))).toHaveLength(2);
    expect(seen[1]).toMatchObject({ method: 'POST', url: seen[0]?.url, body: seen[0]?.body });
    expect(seen[1]?.headers.authorization).toBe(`Bearer ${testKey}`);
  });

  it('runs the same safety checks', async () => {
    const ran = await cli([...send, '--dry-run'], { home: newHome(), env: callerOf('http://api.example.com') });
    expect([ran.code, ran.stdout]).toEqual([11, '']);
  });

  it('starts no sandbox', async () => {
    const home = newHome();
    const { code, stdout } = await bin([...send, '--profile', 'local', '--dry-run'], { home });
    expect([code, stdout.includes('"method":"POST"')]).toEqual([0, true]);
    expect(existsSync(join(home, '.local/state/bizmsg/sandbox.log'))).toBe(false);
  });
});

describe('a signal', () => {
  const signals = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const;

  it.each(signals.flatMap(([signal, code]) => [[signal, code, send] as const, [signal, code, list] as const]))(
    '%s during a hanging call ends it with %i: %j',
    async (signal, code, argv) => {
      const { home, env, seen } = await openHostile(() => void child.kill(signal));
      const child = execa(program[0], [...program.slice(1), ...argv, '-o', 'json'], {
        env: cleanEnv(home, env),
        extendEnv: false,
        reject: false,
        stripFinalNewline: false,
      });
      const { exitCode, stdout, stderr } = await child;
      expect([exitCode, stdout, seen.length]).toEqual([code, '', 1]);
      expect(errorIn(stderr)).toMatchObject({ code: 'interrupted', ...(argv === send && { done: 'unknown' }) });
      expect('done' in errorIn(stderr)).toBe(argv === send);
    },
  );

  it.each(signals)('%s during a wait before a retry ends it with %i, and nothing was done', async (signal, code) => {
    const { home, env, seen } = await openHostile((_, __, response) =>
      response.writeHead(429, { 'Retry-After': '60' }).end(),
    );
    const child = execa(program[0], [...program.slice(1), ...send, '-o', 'json'], {
      env: cleanEnv(home, env),
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    });
    child.stderr.on('data', (part: Buffer) => void (part.includes('"waiting"') && child.kill(signal)));
    const { exitCode, stdout, stderr } = await child;
    expect([exitCode, stdout, seen.length, errorIn(stderr)['done']]).toEqual([code, '', 1, 'no']);
  });
});

describe('the binary', () => {
  const shell = (script: string, home: string, env: Variables) =>
    execa('sh', ['-c', script], {
      env: cleanEnv(home, env),
      extendEnv: false,
      reject: false,
    });

  it('succeeds if the reader of a long output closes the pipe', async () => {
    const people = Array.from({ length: 20_000 }, (_, id) => ({
      id: `c${id}`,
      phone: `+1${id}`,
      name: 'x'.repeat(20),
    }));
    const { home, env } = await openHostile((_, __, response) => response.end(JSON.stringify(people)));
    const script = `{ ${programText} contacts list; echo "exit $?" >&2; } | head -n 1`;
    const { stdout, stderr } = await shell(script, home, env);
    expect([stdout, stderr]).toEqual(['id\tphone\tname', 'exit 0']);
  });

  it.runIf(existsSync('/dev/full')).each(['contacts list', '--version', '--help'])(
    'reports a full disk as an error, not as a bug: %s',
    async (line) => {
      const { home, env } = await openHostile((_, __, response) => response.end('[{"id":"1"}]'));
      const { exitCode, stderr } = await shell(`${programText} ${line} > /dev/full`, home, env);
      expect(stderr).toMatch(/^error: not all of the result could be written: [a-z ]+$/);
      expect(exitCode).toBe(3);
    },
  );

  it.runIf(existsSync('/dev/full'))('reports a send as unsure if its message_id could not be written', async () => {
    const { home, env, seen } = await openHostile((_, __, response) => response.end('{"message_id":"msg_1"}'));
    const script = `${programText} send-template +12025550101 welcome -o json > /dev/full`;
    const { exitCode, stderr } = await shell(script, home, env);
    expect([exitCode, seen.length]).toEqual([13, 1]);
    expect(stderr).toContain('msg_1');
  });

  // The error is put into one of Node's own functions that no module calls when it is loaded.
  it('reports an internal error as a bug, with exit 1', async () => {
    const { home, env } = await openHostile((_, __, response) => response.end('[{"id":"1"}]'));
    const fault = 'data:text/javascript,Array.prototype.every=()=>{throw new TypeError("on purpose")}';
    const ran = await bin([...list, '-o', 'json'], {
      home,
      env: { ...env, NODE_OPTIONS: `--import=${encodeURI(fault)}` },
    });
    expect([ran.code, ran.stdout, errorIn(ran.stderr)['code']]).toEqual([1, '', 'bug']);
    expect(errorIn(ran.stderr)['message']).toContain('TypeError: on purpose');
  });

  it.each(
    failures.filter(({ name }) => ['no credentials', 'a 418', 'HTML to a GET', 'api //evil.example/x'].includes(name)),
  )('$name ends with $exit too', async ({ argv, exit, code, stage }) => {
    const ran = await bin([...argv, '-o', 'ndjson'], await stage());
    expect([ran.code, ran.stdout, errorIn(ran.stderr)['code']]).toEqual([exitCodes[exit], '', code]);
  });
});
