import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
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
import { errorIn, objects } from '../support/json-lines.ts';
import { newWorld, type World } from '../support/world.ts';

const send = ['send-template', '+12025550101', 'welcome'];
const sendOnce = [...send, '--retries', '0'];
const create = ['contacts', 'create', '--set', 'phone=+12025550142'];
const list = ['contacts', 'list', '--retries', '0'];
const liveKey = 'sk_live_0123456789abcdef';
type Variables = Readonly<Record<string, string>>;

interface Stage {
  readonly home: string;
  readonly env: Variables;
  /** The number of requests that reached a server this command could call. */
  arrived?(): number;
}

/** A failure, the exit and code of its error, and the requests that arrive, if they can be counted. */
type Failure = readonly [
  name: string,
  argv: readonly string[],
  outcome: `${ExitName} ${string}`,
  stage: () => Promise<Stage>,
  arrived?: number | undefined,
  status?: number | undefined,
  done?: 'no' | 'unknown',
];

const answering = (status: number, body = '{"message":"no"}', headers: Variables = {}) =>
  staged(() => openHostile((_, __, response) => response.writeHead(status, headers).end(body)));

/** A service that names its own address in its responses. */
const pointingToItself = (answer: (url: string) => readonly [status: number, headers: Variables, body: string]) =>
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
    const world = await newWorld();
    const { sandbox, home, env } = world;
    const arrived = () => sandbox.keys.list().flatMap(({ id }) => sandbox.audit(id)).length;
    return { home, env: change(env, world), arrived };
  };
}

const callerIn = (env: () => Variables | Promise<Variables>) => async () => ({ home: newHome(), env: await env() });
const noCaller = callerIn(() => ({}));
const unreachable = callerIn(async () => callerOf(`http://127.0.0.1:${await deadPort()}`));
const asKey = (key: string) => calledAs((env) => ({ ...env, BIZMSG_API_KEY: key }));
const havingAlso = (more: Variables) => calledAs((env) => ({ ...env, ...more }));

async function damagedStore(): Promise<Stage> {
  const home = newHome();
  mkdirSync(join(home, '.config/bizmsg'), { recursive: true });
  writeFileSync(join(home, '.config/bizmsg/profiles.json'), `{"version":1,"profiles":{"acme":"${liveKey}`);
  return { home, env: {} };
}

async function withoutTls(): Promise<Stage> {
  const { home, url } = await openHostile(() => {});
  return { home, env: callerOf(url.replace('http:', 'https:')) };
}

function elsewhere(env: (hostile: { readonly url: string; readonly env: Variables }) => Variables) {
  return staged(async () => {
    const hostile = await openHostile((_, __, response) => response.writeHead(404).end());
    return { ...hostile, env: env(hostile) };
  });
}

const away = (status: number) => answering(status, '', { Location: '/elsewhere' });
const none = '/nowhere';
const all = [...list, '--all'];
const ownLive = calledAs((env, { sandbox }) => ({ ...env, BIZMSG_API_KEY: sandbox.keys.live }));
const liveInSandboxMode = calledAs((env, { sandbox }) => ({
  ...env,
  BIZMSG_API_KEY: sandbox.keys.live,
  BIZMSG_MODE: 'sandbox',
}));
const unknownKey = asKey('sk_test_local-unknown0');
const badProxy = callerIn(() => ({
  ...callerOf('https://api.example.com'),
  HTTPS_PROXY: 'http://ada:100%@127.0.0.1:9',
}));
const keyAlone = callerIn(() => ({ BIZMSG_API_KEY: testKey }));
const localOnly = elsewhere(({ env }) => ({ ...env, BIZMSG_LOCAL_ONLY: '1' }));
const localKey = elsewhere(({ url }) => callerOf(url, 'sk_test_local-0123456789'));
const plainHttp = callerIn(() => callerOf('http://api.example.com'));
const blobRedirect = pointingToItself((url) => [302, { Location: `blob:${url}/x` }, '']);
const blobLink = pointingToItself((url) => [200, { Link: `<blob:${url}/x>; rel="next"` }, '[{"id":1}]']);
const blobCursor = pointingToItself((url) => [200, {}, `{"data":[{"id":1}],"next":"blob:${url}/x"}`]);
const longLimit = answering(429, '', { 'Retry-After': '3600' });
const html = answering(200, '<html>hello</html>');
const keyHeader = ['api', '/x', '-H', `Authorization: Bearer ${testKey}`];

const table: readonly Failure[] = [
  ['an unknown command', ['contcts'], 'usage usage', noCaller],
  ['an announced command', ['flows'], 'usage announced', noCaller],
  ['an unknown option', [...list, '--alll'], 'usage usage', noCaller],
  ['an unreadable --input', ['contacts', 'create', '--input', none], 'usage usage', answering(200), 0],
  ['an unreadable --input of api', ['api', '/x', '--input', none], 'usage usage', answering(200), 0],
  ['an unreadable @file of api', ['api', '/x', '-F', `a=@${none}`], 'usage usage', answering(200), 0],
  ['a missing value without a terminal', ['send-template'], 'usage usage', answering(200), 0],
  ['no credentials', list, 'configuration no-profile', noCaller],
  ['an unknown profile', [...list, '--profile', 'acme'], 'configuration unknown-profile', noCaller],
  ['a damaged store', list, 'configuration store-damaged', damagedStore],
  ['a missing --ca-file', [...list, '--ca-file', none], 'configuration ca-file', answering(200), 0],
  ['a --ca-file of another kind', [...list, '--ca-file', '/etc/hostname'], 'configuration ca-file', answering(200), 0],
  ['a proxy whose password has a bare %', list, 'configuration proxy', badProxy],
  ['a key without an address', list, 'configuration key-without-address', keyAlone],
  ['a key and a profile', list, 'configuration two-callers', havingAlso({ BIZMSG_PROFILE: 'acme' }), 0],
  ['an invalid mode', list, 'configuration bad-variable', havingAlso({ BIZMSG_MODE: 'test' }), 0],
  ['an invalid address', list, 'configuration bad-variable', havingAlso({ BIZMSG_BASE_URL: 'api.example.com' }), 0],
  ['a refused key', list, 'keyRefused unauthorized', unknownKey, undefined, 401],
  ['a send with a refused key', send, 'keyRefused unauthorized', unknownKey, undefined, 401, 'no'],
  ['a live key of an account that is not live', list, 'keyRefused unauthorized', ownLive, 1],
  ['a 403', create, 'keyRefused forbidden', answering(403), 1, 403, 'no'],
  ['an unknown template', send, 'notFound not-found', answering(404), 1, 404, 'no'],
  ['a 400', send, 'rejected rejected', answering(400), 1, 400, 'no'],
  ['a 409 to a GET', list, 'rejected rejected', answering(409), 1, 409],
  ['repeated 429s', sendOnce, 'rateLimited rate-limited', answering(429), 1, 429, 'no'],
  ['a 429 with a long Retry-After', send, 'rateLimited rate-limited', longLimit, 1, 429, 'no'],
  ['a 500 to a GET', list, 'serviceFault service-fault', answering(500), 1, 500],
  ['HTML to a GET', list, 'serviceFault unreadable-answer', html, 1, 200],
  ['incomplete JSON to a GET', list, 'serviceFault unreadable-answer', doing('incomplete JSON'), 1],
  ['invalid HTTP to a GET', list, 'serviceFault unreadable-answer', doing('invalid HTTP'), 1],
  ['an endless answer', list, 'serviceFault answer-too-large', doing('a body of 34 MiB'), 1],
  ['a refused connection', list, 'network unreachable', unreachable],
  ['a send over a refused connection', sendOnce, 'network unreachable', unreachable, undefined, undefined, 'no'],
  ['a reset of a GET', list, 'network connection-lost', doing('a reset'), 1],
  ['a time-out of a GET', [...list, '--timeout', '200ms'], 'network timeout', doing('no response'), 1],
  ['TLS to a server without TLS', sendOnce, 'network tls', withoutTls, undefined, undefined, 'no'],
  ['BIZMSG_LOCAL_ONLY=1 with another address', send, 'unsafe only-local', localOnly, 0],
  ['--mode live with a sandbox key', [...send, '--mode', 'live'], 'unsafe wrong-mode', havingAlso({}), 0],
  ['BIZMSG_MODE=sandbox with a live key', list, 'unsafe wrong-mode', liveInSandboxMode, 0],
  // Without the key, it is asked whether it is a sandbox.
  ['a key of a local sandbox to another port', send, 'unsafe local-key-elsewhere', localKey, 1],
  ['a real live key to a local sandbox', send, 'unsafe live-key-to-sandbox', asKey(liveKey), 0],
  ['a key of unknown mode to a local sandbox', send, 'unsafe live-key-to-sandbox', asKey('neither-prefix-0123'), 0],
  ['plain http to another machine', send, 'unsafe plain-http', plainHttp],
  ['a key among the arguments', keyHeader, 'unsafe key-in-arguments', answering(200), 0],
  ['a redirect of a POST', send, 'unsafe redirect-refused', away(307), 1, 307, 'no'],
  ['a redirect of a POST that may be done', create, 'unsafe redirect-refused', away(303), 1, 303, 'unknown'],
  ['a redirect to a blob: address of its own origin', list, 'unsafe redirect-refused', blobRedirect, 1, 302],
  ['a Link to a blob: address of its own origin', all, 'unsafe foreign-link', blobLink, 1],
  ['a cursor that is a blob: address of its own origin', all, 'unsafe foreign-link', blobCursor, 1],
  ['an endless redirect of a GET', list, 'unsafe redirect-refused', away(302), 6, 302],
  ['api with another host', ['api', '//evil.example/x'], 'unsafe foreign-address', answering(200), 0],
];

const exits = new Map<string, number>(Object.entries(exitCodes));
const failures = table.map(([name, argv, outcome, stage, arrived, status, done]) => {
  const [exit = '', code] = outcome.split(' ');
  return { name, argv, exit: exits.get(exit), code, stage, arrived, status, done };
});

describe('a failure', () => {
  it.each(failures)('of $name exits with $exit and is the last JSON object on stderr', async (failure) => {
    const { argv, exit, code, stage, arrived, status, done } = failure;
    const { home, env, ...scene } = await stage();
    const ran = await cli([...argv, '-o', 'json'], { home, env });
    const seen = scene.arrived?.();
    expect([ran.code, ran.stdout, seen]).toEqual([exit, '', arrived ?? seen]);
    const error = errorIn(ran.stderr);
    expect(error).toMatchObject({ code, message: expect.stringMatching(/./), ...(status && { status }) });
    expect([error['done'], 'done' in error]).toEqual([done, done !== undefined]);
    const others = objects(ran.stderr).slice(0, -1);
    expect(others.filter((line) => !('note' in line))).toEqual([]);
  });
});

describe('a POST that the service executed', () => {
  const cases = [
    ...badResponseNames.map((bad) => ({ call: 'send-template', argv: send, bad })),
    // An empty 2xx, or one of any shape, is a success if the document shows no body.
    ...(['a 500', 'a reset', 'HTML with 200'] as const).map((bad) => ({ call: 'contacts create', argv: create, bad })),
  ];

  it.each(cases)('is sent once if the response is $bad: $call exits 13', async ({ argv, bad }) => {
    const hostile = await openHostile((_, __, response) => void badResponses[bad](response));
    const ran = await cli([...argv, '-o', 'json', '--timeout', '300ms'], hostile);
    const error = errorIn(ran.stderr);
    expect([ran.code, ran.stdout, error['done']]).toEqual([13, '', 'unknown']);
    expect(error['hint']).toContain('it may have been done');
    expect(hostile.seen.map(({ method }) => method)).toEqual(['POST']);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'POST'])('may also be a %s of api', async (method) => {
    const hostile = await openHostile((_, __, response) => response.writeHead(502).end());
    const { code, stderr } = await cli(['api', '/x', '-X', method, '-o', 'json'], hostile);
    expect([code, errorIn(stderr)['done'], hostile.seen.length]).toEqual([13, 'unknown', 1]);
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

describe('a dry run', () => {
  it.each([
    { argv: send, method: 'POST', path: '/api/public/messages/send-template' },
    { argv: create, method: 'POST', path: '/api/public/contacts' },
    { argv: ['templates', 'list', '--url-param', 'a=b c'], method: 'GET', path: '/api/public/templates?a=b+c' },
    { argv: ['api', '/x', '-X', 'DELETE'], method: 'DELETE', path: '/x' },
  ])('of $argv sends nothing and prints the request', async ({ argv, method, path }) => {
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

  it('starts no sandbox', async () => {
    const home = newHome();
    const { code, stdout } = await bin([...send, '--profile', 'local', '--dry-run'], { home });
    expect([code, stdout.includes('"method":"POST"')]).toEqual([0, true]);
    expect(existsSync(join(home, '.local/state/bizmsg/sandbox.log'))).toBe(false);
  });
});

describe('a signal', () => {
  const started = (argv: readonly string[], { home, env }: Pick<Stage, 'home' | 'env'>) =>
    execa(program[0], [...program.slice(1), ...argv, '-o', 'json'], {
      env: cleanEnv(home, env),
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    });

  it.each([
    ['SIGINT', 130, send],
    ['SIGTERM', 143, send],
    ['SIGHUP', 129, send],
    ['SIGINT', 130, list],
  ] as const)('%s during a hanging call ends it with %i: %j', async (signal, code, argv) => {
    const hostile = await openHostile(() => void child.kill(signal));
    const child = started(argv, hostile);
    const { exitCode, stdout, stderr } = await child;
    expect([exitCode, stdout, hostile.seen.length]).toEqual([code, '', 1]);
    expect(errorIn(stderr)).toMatchObject({ code: 'interrupted' });
    expect(errorIn(stderr)['done']).toBe(argv === send ? 'unknown' : undefined);
  });

  it('during a wait before a retry ends it, and nothing was done', async () => {
    const hostile = await openHostile((_, __, response) => response.writeHead(429, { 'Retry-After': '60' }).end());
    const child = started(send, hostile);
    child.stderr.on('data', (part: Buffer) => void (part.includes('"waiting"') && child.kill('SIGTERM')));
    const { exitCode, stdout, stderr } = await child;
    expect([exitCode, stdout, hostile.seen.length, errorIn(stderr)['done']]).toEqual([143, '', 1, 'no']);
  });
});

describe('the binary', () => {
  const shell = (script: string, home: string, env: Variables) =>
    execa('sh', ['-c', script], { env: cleanEnv(home, env), extendEnv: false, reject: false });

  it('succeeds if the reader of a long output closes the pipe', async () => {
    const people = Array.from({ length: 20_000 }, (_, id) => ({ id, phone: `+1${id}`, name: 'x'.repeat(20) }));
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
});
