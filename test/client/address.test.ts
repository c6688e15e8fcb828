import { describe, expect, it } from 'vitest';
import { followed, isLoopback, joinAddress, readBase } from '../../src/client/address.ts';
import { thrown } from '../support/thrown.ts';

const plain = readBase('https://api.example/');
const prefixed = readBase('https://api.example/gateway/v1/');

describe('joinAddress', () => {
  it.each([
    ['/api/public/contacts', 'https://api.example/api/public/contacts'],
    ['api/public/contacts', 'https://api.example/api/public/contacts'],
    ['contacts?a=b', 'https://api.example/contacts?a=b'],
    ['/a?to=https://evil.example/', 'https://api.example/a?to=https://evil.example/'],
    ['/a b', 'https://api.example/a%20b'],
    ['/a/../b', 'https://api.example/b'],
    ['/a?b=c#d', 'https://api.example/a?b=c'],
    ['/@evil.example', 'https://api.example/@evil.example'],
    ['', 'https://api.example/'],
  ])('joins "%s"', (path, url) => {
    expect(joinAddress(plain, path)).toBe(url);
  });

  it.each([
    ['/api/public/contacts', 'https://api.example/gateway/v1/api/public/contacts'],
    ['/a/../b', 'https://api.example/gateway/v1/b'],
    ['', 'https://api.example/gateway/v1'],
  ])('keeps the path prefix before "%s"', (path, url) => {
    expect(joinAddress(prefixed, path)).toBe(url);
  });

  it.each([
    '//evil.example',
    'https://evil.example/',
    'http:evil.example',
    '@evil.example',
    ':pass@evil.example',
    ':8443/a',
    '.evil.example/a',
    '\\\\evil.example',
    '/\\evil.example',
    '/a\\..\\b',
    '\t//evil.example',
    '/\t/evil.example',
    '/a\nb',
    '\r\n@evil.example',
    '/a\0',
  ])('refuses %j', (path) => {
    const refusal = expect.objectContaining({ exit: 'unsafe', code: 'foreign-address' });
    expect(thrown(() => joinAddress(plain, path))).toEqual(refusal);
    expect(thrown(() => joinAddress(prefixed, path))).toEqual(refusal);
  });

  it.each(['/..', '/../..', '/../../a', '/%2e%2e/a', '/a/../../v2/b', '-other/a', '2'])(
    'resolves below the prefix: %j',
    (path) => {
      const url = thrown(() => joinAddress(prefixed, path)) ? 'refused' : joinAddress(prefixed, path);
      expect(['refused', `https://api.example/gateway/v1/${path}`]).toContain(url);
    },
  );
});

describe('followed', () => {
  const from = 'https://api.example/gateway/v1/api/public/contacts?page=1';

  it.each([
    ['?page=2', 'https://api.example/gateway/v1/api/public/contacts?page=2'],
    ['/api/public/contacts?page=2', 'https://api.example/gateway/v1/api/public/contacts?page=2'],
    ['/gateway/v1/api/public/contacts?page=2', 'https://api.example/gateway/v1/api/public/contacts?page=2'],
    ['https://api.example/api/public/contacts?page=2', 'https://api.example/gateway/v1/api/public/contacts?page=2'],
    ['contacts?page=2', 'https://api.example/gateway/v1/api/public/contacts?page=2'],
  ])('resolves "%s" below the prefix', (target, url) => {
    expect(followed(prefixed, from, target)).toBe(url);
  });

  it.each([
    'https://evil.example/a',
    '//evil.example/a',
    'http://api.example/a',
    'https://api.example:8443/a',
    'https://a:b@api.example/a',
    'javascript:alert(1)',
    'http://[',
  ])('refuses "%s"', (target) => {
    expect(followed(prefixed, from, target)).toBeUndefined();
  });
});

it('a base URL of plain http to another host is refused', () => {
  expect(thrown(() => readBase('http://api.example'))).toMatchObject({ exit: 'unsafe', code: 'plain-http' });
});

describe('isLoopback', () => {
  const others = ['localhost.evil.example', '127.0.0.1.evil.example', '128.0.0.1', '0.0.0.0', '[::2]', 'api.example'];

  it.each(['localhost', '127.0.0.1', '127.9.9.9', '[::1]', ...others])('knows whether %s is this machine', (host) => {
    expect(isLoopback(host)).toBe(!others.includes(host));
  });
});
