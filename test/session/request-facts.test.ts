import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../src/client/wire.ts';
import { factsIn as facts, messageIn } from '../../src/session/request-facts.ts';

const factsIn = (request: Pick<WireRequest, 'method' | 'url' | 'body'>) =>
  facts(request, messageIn(request), 'sk_live_7Rw1Kc5NbY6uJe0SqMvA');

const send = 'https://api.example.com/eu/api/public/messages/send-template';
const message = { to: '+12025550101', template: 'welcome', params: ['Ada'] };

describe('the logged facts of a request', () => {
  it('contain the message that it sends, under any path prefix', () => {
    expect(factsIn({ method: 'POST', url: send, body: JSON.stringify(message) })).toEqual({
      host: 'api.example.com',
      method: 'POST',
      endpoint: '/eu/api/public/messages/send-template',
      recipient: '+1202***0101',
      template: 'welcome',
    });
  });

  it('are the same for bytes, another order of fields, and additional fields', () => {
    const { params, template, to } = message;
    const body = Buffer.from(JSON.stringify({ params, extra: 1, template, to }));
    expect(messageIn({ method: 'POST', url: send, body })).toEqual(message);
  });

  it.each([
    ['no JSON', 'to=+12025550101'],
    ['no params', JSON.stringify({ to: '+12025550101', template: 'welcome' })],
    ['no body', undefined],
  ])('contain no message for %s', (_, body) => {
    expect(messageIn({ method: 'POST', url: send, body })).toBeUndefined();
  });

  it.each([
    ['+12025550101', '+1202***0101'],
    ['+491701234567', '+4917***4567'],
    ['+123456789', '+12***89'],
    ['+1234567', '+12***67'],
    ['+12345', '+***'],
  ])('mask the phone %s as %s', (phone, masked) => {
    const body = JSON.stringify({ phone, name: 'Ada' });
    expect(factsIn({ method: 'POST', url: 'https://api.example.com/c', body }).recipient).toBe(masked);
  });

  it('contain no phone or key of a path, and no query', () => {
    const url = 'https://api.example.com/contacts/%2B12025550101/sk_live_7Rw1Kc5NbY6uJe0S?phone=12025550101';
    expect(factsIn({ method: 'DELETE', url }).endpoint).toBe('/contacts/*/*');
  });
});
