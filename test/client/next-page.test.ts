import { describe, expect, it } from 'vitest';
import { linkNext, nextPage } from '../../src/client/pages.ts';

const base = { origin: 'https://api.example', prefix: '' };
const url = 'https://api.example/api/public/contacts?tag=vip';
const next = (query: string) => ({ kind: 'next', url: `https://api.example/api/public/contacts?${query}` });
const end = { kind: 'end' };
const after = (answer: unknown, link?: string) => nextPage({ base, url, link, answer });

describe('linkNext', () => {
  it.each([
    ['<https://a/?p=2>; rel="next"', 'https://a/?p=2'],
    ['<?p=2>; rel=next', '?p=2'],
    ['<?p=1>; rel="prev", <?p=3>; rel="next"', '?p=3'],
    ['<?p=2>; title="a, b; c"; rel="last next"', '?p=2'],
    ['<?a=1,2;3>;rel=NEXT', '?a=1,2;3'],
    ['<?p=1>; rel="prev"', undefined],
    ['<?p=1>; rel="nextish"', undefined],
    ['<?p=1>; title="rel=next"', undefined],
    ['?p=2; rel=next', undefined],
    ['', undefined],
  ])('reads %s', (header, target) => {
    expect(linkNext(header)).toBe(target);
  });
});

describe('nextPage', () => {
  it.each<[string, unknown, unknown]>([
    ['no cursor', { data: [] }, end],
    ['a bare array', [{ next_cursor: 'a' }], end],
    ['nothing', undefined, end],
    ['an empty cursor', { next_cursor: '' }, end],
    ['a cursor that is false', { next: false }, end],
    ['a cursor of a record in the list', { data: [{ next: '/a', next_cursor: 'b' }] }, end],
    ['a field that starts with next', { next_of_kin: 'Ada', nextAppointment: 'May' }, end],
    ['a cursor with has_more: false', { next_cursor: 'a', has_more: false }, end],
    ['a cursor with hasNextPage: false', { paging: { nextCursor: 'a', hasNextPage: false } }, end],
    ['next_cursor', { next_cursor: 'a b' }, next('tag=vip&cursor=a+b')],
    ['nextCursor', { nextCursor: 'a' }, next('tag=vip&cursor=a')],
    ['next_page_token', { next_page_token: 'a' }, next('tag=vip&page_token=a')],
    ['nextPageToken', { nextPageToken: 'a' }, next('tag=vip&pageToken=a')],
    ['next_page as a number', { next_page: 2 }, next('tag=vip&page=2')],
    ['cursor', { cursor: 'a' }, next('tag=vip&cursor=a')],
    ['a plain next', { next: 'a' }, next('tag=vip&cursor=a')],
    ['a cursor one level deep', { meta: { next_cursor: 'a' } }, next('tag=vip&cursor=a')],
    ['a cursor two levels deep', { meta: { page: { nextCursor: 'a' } } }, next('tag=vip&cursor=a')],
    ['a cursor too deep', { a: { b: { c: { d: { nextCursor: 'a' } } } } }, end],
    ['the outer one of two cursors', { a: { next_cursor: 'deep' }, next_cursor: 'b' }, next('tag=vip&cursor=b')],
    ['a cursor that begins with a slash', { next_cursor: '/9j=' }, next('tag=vip&cursor=%2F9j%3D')],
    ['a URL', { next: 'https://api.example/api/public/contacts?p=2' }, next('p=2')],
    ['a URL as cursor', { next_cursor: 'https://api.example/api/public/contacts?p=2' }, next('p=2')],
    ['a relative URL', { links: { next: '/api/public/contacts?p=2' } }, next('p=2')],
    ['a query string', { next_url: '?p=2' }, next('p=2')],
    ['a HAL link', { _links: { next: { href: '/api/public/contacts?p=2' } } }, next('p=2')],
    ['a foreign URL', { next: 'https://evil.example/' }, { kind: 'foreign', url: 'https://evil.example/' }],
    ['a foreign host without a scheme', { next: '//evil.example/' }, { kind: 'foreign', url: '//evil.example/' }],
  ])('handles %s', (_, answer, expected) => {
    expect(after(answer)).toEqual(expected);
  });

  it('prefers a Link to a cursor', () => {
    expect(after({ next_cursor: 'a' }, '</api/public/contacts?p=2>; rel="next"')).toEqual(next('p=2'));
  });

  it('looks for a cursor if no Link has rel="next"', () => {
    expect(after({ next_cursor: 'a' }, '<?p=0>; rel="prev"')).toEqual(next('tag=vip&cursor=a'));
  });

  it('replaces the cursor of the current page', () => {
    const answer = { next_cursor: 'b' };
    expect(nextPage({ base, url: `${url}&cursor=a`, link: undefined, answer })).toEqual(next('tag=vip&cursor=b'));
  });
});
