import type { Change } from '../changes.ts';
import type { Order } from '../records.ts';
import { type Caused, contactNamed, type Desk, eventChange } from './desk.ts';
import type { FieldsOf } from './fields.ts';

export function flowCompleted(given: FieldsOf<'flow.completed'>, desk: Desk): Caused {
  const { flow = 'Welcome' } = given;
  const contact = contactNamed(desk.state, given.contact).id;
  const run = { id: desk.id('run_sandbox'), flow, contact, at: desk.now };
  const ids = { flow_run_id: run.id, contact_id: contact };
  const event = eventChange(desk, { type: 'flow.completed', data: { flow_run_id: run.id, flow, contact_id: contact } });
  return { changes: [{ type: 'flow-run', run }, event], ids };
}

export function orderPaid(given: FieldsOf<'order.paid'>, desk: Desk): Caused {
  const { amount = '10.00', currency = 'USD', provider = 'sandbox' } = given;
  const contact = contactNamed(desk.state, given.contact).id;
  const order: Order = { id: desk.id('ord_sandbox'), contact, amount, currency, provider, at: desk.now };
  const ids = { order_id: order.id, contact_id: contact };
  const event = eventChange(desk, { type: 'order.paid', data: { ...ids, amount, currency, provider } });
  const changes: readonly Change[] = [{ type: 'order', order }, event];
  return { changes, ids };
}
