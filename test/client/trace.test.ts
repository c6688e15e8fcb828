import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/base/redact.ts';
import { answerLines, requestLines } from '../../src/client/trace.ts';

const key = 'odd"key/without=prefix';
const redactor = createRedactor(key);
const request = (body: string) => ({
  method: 'POST',
  url: 'https://api.example/x?to=%2B12025550101',
  headers: {},
  body,
});

describe('the trace', () => {
  it('masks phone numbers in the address and the body', () => {
    expect(requestLines(request('{"to":"+12025550101"}'), redactor)).toEqual([
      '> POST https://api.example/x?to=%2B120…01',
      '>',
      '> {"to":"+120…01"}',
    ]);
  });

  it('contains no key in any form', () => {
    const shown = requestLines(request(`${key} ${JSON.stringify(key)} ${encodeURIComponent(key)}`), redactor).join(
      '\n',
    );
    expect(shown).not.toMatch(/odd.{0,3}key/);
  });

  it('contains no cookie', () => {
    const answer = { status: 200, headers: { 'set-cookie': ['session=1'] }, body: Buffer.from('') };
    expect(answerLines(answer, 12.4, redactor)).toEqual(['< 200 (12 ms)', '< set-cookie: …']);
  });

  it('escapes control characters, and prints each line separately', () => {
    const body = 'a\u001b[2Jb\r\nc\u202ed\u009b';
    expect(requestLines(request(body), redactor).slice(2)).toEqual(['> a\\u001b[2Jb', '> c\\u202ed\\u009b']);
  });

  it('cuts a long body', () => {
    const shown = requestLines(request('x'.repeat(100_000)), redactor).join('');
    expect(shown.length).toBeLessThan(9_000);
    expect(shown.endsWith('…')).toBe(true);
  });
});
