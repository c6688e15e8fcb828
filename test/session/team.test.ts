import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { newTeam, readServer, readTeam, secretsOf } from '../../src/session/team.ts';
import { thrown } from '../support/thrown.ts';

const secret = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE';

describe("a team's URL", () => {
  const usual = { port: 6_379, tls: false, user: undefined, password: undefined, database: 0 };

  it.each([
    ['redis://10.0.0.5', 'redis://10.0.0.5:6379', { host: '10.0.0.5' }],
    ['redis://10.0.0.5:6380/2', 'redis://10.0.0.5:6380/2', { host: '10.0.0.5', port: 6_380, database: 2 }],
    ['rediss://cache.example.com/', 'rediss://cache.example.com:6379', { host: 'cache.example.com', tls: true }],
    ['redis://:pass%20word@db', 'redis://db:6379', { host: 'db', password: 'pass word' }],
    ['redis://biz%2Dmsg:p@ss@db', 'redis://db:6379', { host: 'db', user: 'biz-msg', password: 'p@ss' }],
    ['redis://:@db', 'redis://db:6379', { host: 'db' }],
    ['redis://[::1]:7000', 'redis://[::1]:7000', { host: '::1', port: 7_000 }],
  ])('is %s and a secret', (server, shown, address) => {
    expect(readTeam(` ${server}#${secret}\n`)).toEqual({ shown, secret, address: { ...usual, ...address } });
  });

  it('is made with a new secret each time', () => {
    const [one, other] = [newTeam('redis://db'), newTeam('redis://db')];
    expect(readTeam(one)).toMatchObject({ shown: 'redis://db:6379' });
    expect(readTeam(one).secret).not.toBe(readTeam(other).secret);
  });

  it.each([
    ['redis://user:hunter22@db', 'has no secret'],
    [`redis://user:hunter22@db#${secret.slice(1)}`, 'incomplete'],
    [`redis://user:hunter22@db#${secret}x`, 'incomplete'],
    [`redis://user:hunter22@db#${secret.replace('A', '+')}`, 'incomplete'],
    [`http://user:hunter22@db#${secret}`, 'does not begin with redis://'],
    [`user:hunter22@db#${secret}`, 'does not begin with redis://'],
    [`redis://user:hunter22@#${secret}`, 'is not a URL'],
    [`redis://user:hunter22@db:99999#${secret}`, 'is not a URL'],
    [`redis://user:hunter22@db:0#${secret}`, 'port 0'],
    [`redis://user:hunter22@d%20b#${secret}`, 'no valid host'],
    [`redis://user:hunter22@db/main#${secret}`, 'number of a database'],
    [`redis://user:hunter22@db/../x#${secret}`, 'number of a database'],
    [`redis://user:hunter22@db?tls=0#${secret}`, 'options after ?'],
    [`redis://user:hunter22@db/0?#${secret}`, 'options after ?'],
    [`redis://hunter22@db#${secret}`, 'has a user without a password'],
    [`redis://hunter22:@db#${secret}`, 'has a user without a password'],
    [`redis://user:hunter22%zz@db#${secret}`, 'has a %'],
    [`redis://user:hunter22#1@db#${secret}`, 'has a #'],
    [`redis://user:hunter22@db\r\nFLUSHALL#${secret}`, 'white space'],
    [`redis://user:hünter22@db#${secret}`, 'not ASCII'],
    [`redis://user:hunter22@${'d'.repeat(600)}#${secret}`, 'longer than 512'],
    [`#${secret}`, 'is empty'],
  ])('is refused and not repeated: %s', (text, why) => {
    const error = thrown(() => readTeam(text));
    expect(error).toMatchObject({ exit: 'usage', message: expect.stringContaining(why) });
    expect(String(error) + String(error instanceof CliError && error.hint)).not.toMatch(/hunter22|AbCdEf/);
  });

  it('is read or refused, whatever it is', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom('redis://', '@', ':', '/', '#', '[', ']', '%', secret));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const team = outcomeOf(readTeam, parts.join(''));
        const server = outcomeOf(readServer, parts.join(''));
        const isSame = server instanceof CliError || readServer(server.url).url === server.url;
        expect(isSame && ![team, server].some((one) => 'shown' in one && one.shown.includes('@'))).toBe(true);
      }),
    );
  });

  it('has parts that are never printed', () => {
    const text = `redis://u:long%40password@db#${secret}`;
    expect(secretsOf(text)).toEqual([text, 'long%40password', 'long@password', secret]);
    expect(secretsOf('redis://u:short@db')).toEqual(['redis://u:short@db', 'redis://u:short@db']);
  });
});

function outcomeOf<T>(read: (text: string) => T, text: string): T | CliError {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}
