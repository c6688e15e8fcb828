import { describe, expect, it } from 'vitest';
import { expectation, resultFor } from '../../src/webhooks/event/filters.ts';

describe('a wait for a message status', () => {
  it.each([
    ['delivered', 'message.delivered', 'expected'],
    ['delivered', 'message.read', 'expected'],
    ['delivered', 'message.failed', 'opposite'],
    ['read', 'message.read', 'expected'],
    ['read', 'message.delivered', undefined],
    ['read', 'message.failed', 'opposite'],
    ['read', 'flow.completed', undefined],
    ['read', undefined, undefined],
  ] as const)('of %s treats %s as %s', (goal, name, meaning) => {
    expect(resultFor({ name }, goal)).toBe(meaning);
  });
});

describe('an expectation', () => {
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
  ])('of %s treats %s as %s', (wanted, name, meaning) => {
    expect(expectation({ event: wanted, where: [] })(event(name))).toBe(meaning);
  });

  it('with a recipient ignores the failures of others', () => {
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
