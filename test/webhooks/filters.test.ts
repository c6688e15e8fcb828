import { describe, expect, it } from 'vitest';
import { expectation } from '../../src/commands/webhooks/expect.ts';
import { byField, byName, eventOf, selectedBy } from '../../src/webhooks/event/event.ts';
import { thrown } from '../support/thrown.ts';
import { delivery } from './rig.ts';

const items = [{ id: 7, ok: true, none: null }];
const data = { to: '+1=2', items, '': 'e', a: { b: '' }, 'a.b': 1, amount: 12.5, price: '12.50' };
const read = { type: 'message.read', data };

describe('a filter by name', () => {
  it.each([
    ['message.read', true],
    ['message', true],
    ['order.paid, message', true],
    ['message.delivered', false],
  ])('%s on message.read returns %s', (text, expected) => {
    expect(byName(text)(seen(read))).toBe(expected);
  });

  it.each([
    ['mesage', 'did you mean message?'],
    ['message,order.payd', 'did you mean order.paid?'],
    ['message.', 'did you mean message?'],
    ['', expect.stringContaining('use message, ')],
    ['everything', expect.stringContaining('broadcast.completed')],
  ])('is refused with a hint if a name is unknown: %j', (text, hint) => {
    expect(thrown(() => byName(text))).toMatchObject({ exit: 'usage', hint });
  });
});

describe('a filter by field', () => {
  it.each([
    ['type=message.read', true],
    ['data.to=+1=2', true],
    ['data.items.0.id=7', true],
    ['data.items[0].id=7', true],
    ['data.items.0.none=null', true],
    ['data.a.b=', true],
    ['data.items.1.id=7', false],
    ['data.items=7', false],
    ['data.items.length=1', false],
    ['__proto__=null', false],
    ['Type=message.read', false],
    ['data["a.b"]=1', true],
    ['["data"]["items"][0]["id"]=7', true],
    ['data.a.b=1', false],
    ['data.amount=12.50', true],
    ['data.amount=12.51', false],
    ['data.amount=0xc', false],
    ['data.price=12.50', true],
  ])('%s returns %s', (text, expected) => {
    expect(byField(text)(seen(read))).toBe(expected);
  });

  it('matches nothing if the body is not JSON', () => {
    expect(byField('a=1')(eventOf(delivery('a=1')))).toBe(false);
  });

  it.each(['', 'type', '=x', 'a..b=x', 'a[b]=x', 'a[0=x', "it's=x"])(
    'is refused without a path and a value: %j',
    (text) => {
      expect(thrown(() => byField(text))).toMatchObject({ exit: 'usage', message: `"${text}" is not a condition` });
    },
  );
});

it('selects events that have one of the names and meet all conditions', () => {
  expect(selectedBy('message', ['data.to=+1=2'])(seen(read))).toBe(true);
  expect(selectedBy('message', ['data.to=+1=2', 'type=order.paid'])(seen(read))).toBe(false);
  expect(selectedBy(undefined, [])(seen({}))).toBe(true);
});

it.each([
  [() => selectedBy('mesage', []), '--events: "mesage" is not an event'],
  [() => selectedBy(undefined, ['to']), '--where: "to" is not a condition'],
])('names the option of a refused value: %#', (select, message) => {
  expect(thrown(select)).toMatchObject({ exit: 'usage', message });
});

function seen(payload: unknown) {
  return eventOf(delivery(JSON.stringify(payload)));
}

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
});
