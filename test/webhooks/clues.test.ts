import { expect, it } from 'vitest';
import { aboutIn, fieldsOf } from '../../src/webhooks/event/payload-guesses.ts';

it.each([
  ['order.paid', { id: 'evt_1', data: { contact_id: 'con_1', order_id: 'ord_1' } }, 'ord_1'],
  ['order.paid', { id: 'evt_1', order: { id: 7 } }, '7'],
  ['broadcast.completed', { data: { campaign_id: 'cmp_1', name: 'May' } }, 'cmp_1'],
  ['flow.completed', { data: { contact_id: 'con_1', flowRunId: 'run_1' } }, 'run_1'],
  ['contact.created', { data: { id: 'con_1', phone: '+1' } }, 'con_1'],
  ['contact.created', { type: 'contact.created', data: { id: 'con_1', name: 'Ada' } }, 'con_1 Ada'],
  ['contact.created', { name: 'contact.created', data: { id: 'con_1' } }, 'con_1'],
  ['flow.completed', { event_id: 'evt_1', data: { contact_id: 'con_1' } }, 'con_1'],
  ['order.paid', { data: { order_id: 'ord_1', amount: '12.50', currency: 'EUR' } }, '12.50 EUR ord_1'],
  ['order.paid', { data: { total: { value: 12.5, currency: 'eur' } } }, '12.5 eur'],
  ['order.paid', { id: 'evt_1', data: { amount: '12.50', paid: 1, order_id: 'two words' } }, undefined],
  ['order.paid', {}, undefined],
  [undefined, { data: { order_id: 'ord_1' } }, 'ord_1'],
])('finds the amount and id, if any, of %s in %j', (name, body, about) => {
  expect(aboutIn(fieldsOf(body), name)).toBe(about);
});
