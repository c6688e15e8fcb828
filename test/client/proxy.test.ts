import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../src/client/transport.ts';
import { thrown } from '../support/thrown.ts';

const proxy = 'http://proxy.example:3128/';
const HTTPS_PROXY = proxy;

describe('proxyFor', () => {
  it.each([
    ['no variables', 'https://api.example', {}, undefined],
    ['HTTPS_PROXY', 'https://api.example', { HTTPS_PROXY }, proxy],
    ['https_proxy', 'https://api.example', { https_proxy: proxy }, proxy],
    ['ALL_PROXY', 'https://api.example', { ALL_PROXY: proxy }, proxy],
    ['an empty variable', 'https://api.example', { HTTPS_PROXY: '' }, undefined],
    ['HTTP_PROXY, which is for http', 'https://api.example', { HTTP_PROXY: proxy }, undefined],
    ['no scheme', 'https://api.example', { HTTPS_PROXY: 'proxy.example:3128' }, proxy],
    ['loopback', 'https://127.0.0.1:1', { HTTPS_PROXY }, undefined],
    ['localhost', 'https://localhost', { ALL_PROXY: proxy }, undefined],
    ['IPv6 loopback', 'https://[::1]:1', { HTTPS_PROXY }, undefined],
    ['an exempt host', 'https://api.example', { HTTPS_PROXY, NO_PROXY: 'a.example, api.example' }, undefined],
    ['an exempt domain', 'https://api.example', { HTTPS_PROXY, no_proxy: '.example' }, undefined],
    ['a starred domain', 'https://api.example', { HTTPS_PROXY, no_proxy: '*.example' }, undefined],
    ['all exempt', 'https://api.example', { HTTPS_PROXY, NO_PROXY: '*' }, undefined],
    ['an exempt port', 'https://api.example:8443', { HTTPS_PROXY, NO_PROXY: 'api.example:8443' }, undefined],
    ['another port', 'https://api.example', { HTTPS_PROXY, NO_PROXY: 'api.example:8443' }, proxy],
    [
      'a host that only ends with the exempt name',
      'https://myapi.example',
      { HTTPS_PROXY, NO_PROXY: 'api.example' },
      proxy,
    ],
  ])('handles %s', (_, url, env, expected) => {
    expect(proxyFor(url, env)).toBe(expected);
  });

  it.each([
    'socks5://ada:secret@proxy.example',
    'http://ada:secret@[',
    'http://ada:secret%@proxy.example',
    'http://ada%:secret@proxy.example',
    'http://ada:secret%ff@proxy.example',
  ])('refuses %s without quoting it', (named) => {
    const refusal = thrown(() => proxyFor('https://api.example', { HTTPS_PROXY: named }));
    expect(refusal).toMatchObject({ exit: 'configuration', code: 'proxy' });
    expect(String(refusal)).not.toContain('secret');
  });
});
