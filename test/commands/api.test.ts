import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { binary, cleanEnv } from '../support/bin.ts';
import { cli } from '../support/cli.ts';
import { callerOf, newHome, openHostile, testKey } from '../support/fake-service.ts';

const open = () => openHostile((_, __, response) => response.writeHead(201, { 'X-Kind': 'new' }).end('{ "a":1 }\n'));

const requests = `
/x → GET /x
x?y=z → GET /x?y=z
/x -X delete → DELETE /x
/x -f a=1 -f b.c= → POST /x {"a":"1","b":{"c":""}}
/x -F a=1 -F b=null -F c=01 → POST /x {"a":1,"b":null,"c":"01"}
/x -X PUT -F a=true -f b=true → PUT /x {"b":"true","a":true}
/x -f params[]=Ada -f params[]=1 → POST /x {"params":["Ada","1"]}
/x -f params[] → POST /x {"params":[]}
/x -f a[][b]=1 -f a[][c]=2 -f a[][b]=3 → POST /x {"a":[{"b":"1","c":"2"},{"b":"3"}]}
/x -F params=[] -F a={"b":1} → POST /x {"params":[],"a":{"b":1}}
/x -F a[b][c]=1 -f a[d]=[x → POST /x {"a":{"d":"[x","b":{"c":1}}}
/x --input - → POST /x as it  stands
/x --input - --no-input → POST /x as it  stands
--no-input /x --input - → POST /x as it  stands
/x -F note=@- → POST /x {"note":"as it  stands"}`;

describe('api', () => {
  const cases = requests.trim().split('\n');
  it.each(cases.map((line) => line.split(' → ')))('makes of %s the request %s', async (words = '', request = '') => {
    const { seen, ...caller } = await open();
    const { code, stdout } = await cli(['api', ...words.split(' ')], { ...caller, stdin: 'as it  stands' });
    expect([code, stdout]).toEqual([0, '{ "a":1 }\n']);
    expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`.trim())).toEqual([request]);
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${testKey}`, accept: 'application/json' });
    const type = request.split(' ').length > 2 ? 'application/json' : undefined;
    expect(seen[0]?.headers['content-type']).toBe(type);
  });

  it.each([[['a[]=1', 'a=2']], [['a=1', 'a[b]=2']], [['a[b=1']], [['[a]=1']], [['a']]])(
    'refuses the fields %j, and sends nothing',
    async (fields) => {
      const { seen, ...caller } = await open();
      const { code } = await cli(['api', '/x', ...fields.flatMap((field) => ['-f', field])], caller);
      expect([code, seen]).toEqual([2, []]);
    },
  );

  it('reads a field or the whole body from a file', async () => {
    const { seen, ...caller } = await open();
    const file = join(caller.home, 'body.json');
    writeFileSync(file, '{"a": 1}');
    await cli(['api', '/x', '-F', `b=@${file}`], caller);
    await cli(['api', '/x', '--input', file], caller);
    expect(seen.map(({ body }) => body)).toEqual(['{"b":"{\\"a\\": 1}"}', '{"a": 1}']);
  });

  it('replaces its own headers by those of the user, beside --no-header', async () => {
    const { seen, ...caller } = await open();
    const argv = 'api /x --input - -H content-type:text/csv -H X-A:b --no-header -H X-Empty:'.split(' ');
    const { code } = await cli(argv, { ...caller, stdin: 'a,b' });
    expect(code).toBe(0);
    expect(seen[0]?.headers).toMatchObject({ 'content-type': 'text/csv', 'x-a': 'b', 'x-empty': '' });
  });

  it('sends no header with a key', async () => {
    const { seen, ...caller } = await open();
    const { stderr } = await cli(['api', '/x', '-H', `X-Api-Key: ${testKey}`], caller);
    expect([stderr, seen]).toEqual([expect.stringContaining('refusing a key on the command line'), []]);
  });

  it('prints status and headers before the body with -i', async () => {
    const { code, stdout } = await cli(['api', '/x', '-i'], await open());
    expect(code).toBe(0);
    expect(stdout).toMatch(/^HTTP 201\n(.+: .*\n)*x-kind: new\n(.+: .*\n)*\n\{ "a":1 \}\n$/);
  });

  it.each([
    { argv: ['/x', '-o', 'json'], prints: '{"a":1}\n' },
    { argv: ['/x', '--columns', 'a', '-o', 'csv'], prints: 'a\n1\n' },
  ])('formats the response like any other result: $argv', async ({ argv, prints }) => {
    expect(await cli(['api', ...argv], await open())).toMatchObject({ code: 0, stdout: prints });
  });

  it.each([
    { argv: ['/x', '-X', 'G E T'], exit: 2 },
    { argv: ['/x', '-X', 'CONNECT'], exit: 2 },
    { argv: ['/x', '-X', 'GET', '-f', 'a=1'], exit: 2 },
    { argv: ['/x', '-H', 'no colon'], exit: 2 },
    { argv: ['/x', '-H', 'X-A: b\r\nX-B: c'], exit: 2 },
    { argv: ['/x', '-H', 'Host: evil.example'], exit: 2 },
    { argv: ['/x', '-H', 'X-A: 1', '-H', 'x-a: 2'], exit: 2 },
    { argv: ['/x', '-H', `AUTHORIZATION:Bearer ${testKey}`], exit: 11 },
    { argv: ['/x', '--input', '-', '-f', 'a=b'], exit: 2 },
    { argv: ['/x', '-f', 'a=1', '-F', 'a=2'], exit: 2 },
    { argv: ['/x', '-f', 'a'], exit: 2 },
    { argv: [], exit: 2 },
    { argv: ['/x', '/y'], exit: 2 },
  ])('refuses $argv with exit $exit, and sends nothing', async ({ argv, exit }) => {
    const { seen, ...caller } = await open();
    const { code, stdout } = await cli(['api', ...argv], { ...caller, stdin: '{}' });
    expect([code, stdout, seen]).toEqual([exit, '', []]);
  });

  it('keeps a path prefix of the base URL', async () => {
    const { seen, url, home, env } = await open();
    await cli(['api', '/api/public/templates'], { home, env: { ...env, BIZMSG_BASE_URL: `${url}/v2/` } });
    expect(seen.map((request) => request.url)).toEqual(['/v2/api/public/templates']);
  });
});

it('formats JSON on a terminal, with a line feed at the end', async () => {
  const caller = await openHostile((_, __, response) => response.end('{"a":12345678901234567890,"b":[]}'));
  const { stdout } = await cli(['api', '/x'], { ...caller, terminal: 80 });
  expect(stdout).toBe('{\n  "a": 12345678901234567890,\n  "b": []\n}\n');
});

it('escapes control characters in the request of a dry run', async () => {
  const argv = ['api', '/x', '--dry-run', '-f', 'name=\u001b]52;c;cm0=\u0007\u009b\u202e', '-H', 'X-A:a\u009bb'];
  const { code, stdout } = await cli(argv, { home: newHome(), env: callerOf('http://127.0.0.1:9'), terminal: 80 });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^curl .*\n$/)]);
  expect(stdout).not.toMatch(/[\0-\t\u000b-\u001f\u007f-\u009f\u202e]/);
});

describe('a body that is not UTF-8', () => {
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0xff, 0xfe, 0xe9]);
  const printed = async (body: Buffer, ...words: readonly string[]) => {
    const { home, env } = await openHostile((_, __, response) => response.end(body));
    const options = {
      env: cleanEnv(home, env),
      extendEnv: false,
      encoding: 'buffer',
      stripFinalNewline: false,
    } as const;
    return Buffer.from((await execa(process.execPath, [binary, 'api', '/x', ...words], options)).stdout);
  };

  it('is piped byte for byte, after the headers with -i', async () => {
    expect(await printed(bytes)).toEqual(bytes);
    const stdout = await printed(bytes, '-i');
    expect(stdout.subarray(-bytes.length)).toEqual(bytes);
    expect(stdout.subarray(0, -bytes.length).toString()).toMatch(/^HTTP 200\n(.+: .*\n)+\n$/);
  });

  it('does not contain the key in use', async () => {
    const stdout = await printed(Buffer.concat([bytes, Buffer.from(testKey), bytes]));
    expect(stdout).toEqual(Buffer.concat([bytes, Buffer.from('sk_test_…cdef'), bytes]));
  });
});
