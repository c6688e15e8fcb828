import { describe, expect, it } from 'vitest';
import { expectation, resultFor } from '../../src/webhooks/event/filters.ts';

describe('to a wait for what becomes of a message', () => {
  it.each([
    ['delivered', 'message.delivered', 'expected'],
    ['delivered', 'message.read', 'expected'],
    ['delivered', 'message.failed', 'opposite'],
    ['read', 'message.read', 'expected'],
    ['read', 'message.delivered', undefined],
    ['read', 'message.failed', 'opposite'],
    ['read', 'flow.completed', undefined],
    ['read', undefined, undefined],
  ] as const)('for %s, %s means %s', (goal, name, meaning) => {
    expect(resultFor({ name }, goal)).toBe(meaning);
  });
});

describe('to somebody who expects', () => {
  const event = (name: string, data: object = {}) => ({ name, body: { kind: 'json', value: { data } } }) as const;

  it.each([
    ['message.delivered', 'message.delivered', 'expected'],
    ['message.delivered', 'message.read', undefined],
    ['message.delivered', 'message.failed', 'opposite'],
    ['message.read', 'message.failed', 'opposite'],
    ['message.failed', 'message.failed', 'expected'],
    ['message', 'message.failed', 'expected'],
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
    ]).toEqual([undefined, 'opposite', undefined, 'expected']);
  });
});
