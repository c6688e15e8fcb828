import { describe, expect, it } from 'vitest';
import { messageIn } from '../../src/session/request-facts.ts';

const send = 'https://api.example.com/eu/api/public/messages/send-template';
const message = { to: '+12025550101', template: 'welcome', params: ['Ada'] };

describe('the message of a request', () => {
  it('is found under any path prefix', async () => {
    expect(await messageIn({ method: 'POST', url: send, body: JSON.stringify(message) })).toEqual(message);
  });

  it('is the same for bytes, another order of fields, additional fields, and another notation', async () => {
    const { params, template } = message;
    const body = Buffer.from(JSON.stringify({ params, extra: 1, template, to: '+1 (202) 555-0101' }));
    expect(await messageIn({ method: 'POST', url: send, body })).toEqual(message);
  });

  it.each([
    ['no JSON', 'to=+12025550101'],
    ['no params', JSON.stringify({ to: '+12025550101', template: 'welcome' })],
    ['no body', undefined],
  ])('is absent in a body with %s', async (_, body) => {
    expect(await messageIn({ method: 'POST', url: send, body })).toBeUndefined();
  });
});
