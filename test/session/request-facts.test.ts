import { describe, expect, it } from 'vitest';
import { messageIn } from '../../src/session/request-facts.ts';

const send = 'https://api.example.com/eu/api/public/messages/send-template';
const message = { to: '+12025550101', template: 'welcome', params: ['Ada'] };

describe('the message of a request', () => {
  it('is found under any path prefix', async () => {
    expect(await messageIn({ method: 'POST', url: send, body: JSON.stringify(message) })).toEqual({
      to: message.to,
      message,
    });
  });

  it('is the same for bytes, another order of fields, additional fields, and another notation', async () => {
    const { params, template } = message;
    const body = Buffer.from(JSON.stringify({ params, extra: 1, template, to: '+1 (202) 555-0101' }));
    expect(await messageIn({ method: 'POST', url: send, body })).toEqual({ to: message.to, message });
  });

  it.each([
    ['text', 'to=+12025550101', undefined],
    ['no body', undefined, undefined],
    ['no recipient', JSON.stringify({ ...message, to: 'Ada' }), undefined],
    ['no params', JSON.stringify({ to: '+1 202 555 0101', template: 'welcome' }), '+12025550101'],
    ['a number as param', JSON.stringify({ ...message, params: [1] }), '+12025550101'],
    ['a number without its +', JSON.stringify({ ...message, to: '4915181000002' }), '+4915181000002'],
  ])('cannot be read in a body with %s', async (_, body, to) => {
    expect(await messageIn({ method: 'POST', url: send, body })).toEqual({ to, message: undefined });
  });

  it.each([
    ['POST', '/api/public/messages'],
    ['PUT', '/api/public/messages/send-template'],
  ])('may be in %s %s', async (method, path) => {
    const url = `https://api.example.com${path}`;
    expect(await messageIn({ method, url, body: JSON.stringify(message) })).toEqual({
      to: undefined,
      message: undefined,
    });
  });

  it.each([
    ['GET', '/api/public/messages'],
    ['POST', '/api/public/contacts'],
  ])('is absent in %s %s', async (method, path) => {
    expect(await messageIn({ method, url: `https://api.example.com${path}`, body: undefined })).toBeUndefined();
  });
});
