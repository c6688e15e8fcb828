import { describe, expect, it } from 'vitest';
import { expectation, meaningFor } from '../../src/webhooks/event/filters.ts';

describe('to a wait for what becomes of a message', () => {
  it.each([
    ['delivered', 'message.delivered', 'came'],
    ['delivered', 'message.read', 'came'],
    ['delivered', 'message.failed', 'opposite'],
    ['read', 'message.read', 'came'],
    ['read', 'message.delivered', undefined],
    ['read', 'message.failed', 'opposite'],
    ['read', 'flow.completed', undefined],
    ['read', undefined, undefined],
  ] as const)('for %s, %s means %s', (goal, name, meaning) => {
    expect(meaningFor({ name }, goal)).toBe(meaning);
  });
});

describe('to somebody who expects', () => {
  const event = (name: string, data: object = {}) => ({ name, body: { kind: 'json', value: { data } } }) as const;

  it.each([
    ['message.delivered', 'message.delivered', 'came'],
    ['message.delivered', 'message.read', undefined],
    ['message.delivered', 'message.failed', 'opposite'],
    ['message.read', 'message.failed', 'opposite'],
    ['message.failed', 'message.failed', 'came'],
    ['message', 'message.failed', 'came'],
    ['message.read,order', 'message.failed', 'opposite'],
    ['order.paid', 'message.failed', undefined],
    ['message.received', 'message.failed', undefined],
  ])('%s, %s means %s', (wanted, name, meaning) => {
    expect(expectation({ event: wanted, where: [] })(event(name))).toBe(meaning);
  });

  it('what becomes of one recipient, the failure of another means nothing', () => {
    const means = expectation({ event: 'message.delivered', where: ['data.to=+12025550101'] });
    const named = (name: string, to: string) => means(event(name, { to }));
    expect([
      named('message.failed', '+12025550102'),
      named('message.failed', '+12025550101'),
      named('message.delivered', '+12025550102'),
      named('message.delivered', '+12025550101'),
    ]).toEqual([undefined, 'opposite', undefined, 'came']);
  });
});
